# Stores a photo, and enqueues it in the app's own transaction. Prints the job's number.
#   DATABASE_URL=postgresql://… DARKROOM_MEDIA=DIR ruby store.rb PHOTO UPLOADER CAPTION LATITUDE LONGITUDE
require "digest"
require "pg"
require "securerandom"

def sync(folder) = File.open(folder, &:fsync)

def make_folder(path)
  Dir.mkdir(path, 0o770)
  # Regardless of the umask; an inherited set-group-ID bit stays.
  File.chmod(0o770 | (File.stat(path).mode & 0o2000), path)
  sync(File.dirname(path))
rescue Errno::EEXIST
  # It is there.
end

# Returns the key, the hash and the size.
def store(photo, media, identity)
  originals = "#{media}/originals"
  marker = "#{originals}/.darkroom-store"
  if identity && !(File.file?(marker) && File.read(marker, 64).strip == identity)
    raise "#{media} is not the media store #{identity}: mount the right disk, or correct the path"
  end
  [originals, "#{originals}/.unfinished"].each { |folder| make_folder(folder) }
  temporary = "#{originals}/.unfinished/#{Process.pid}-#{SecureRandom.hex(8)}"
  digest = Digest::SHA256.new
  bytes = 0
  File.open(photo, "rb") do |source|
    File.open(temporary, File::WRONLY | File::CREAT | File::EXCL | File::BINARY, 0o600) do |file|
      piece = String.new
      while source.read(262_144, piece)
        digest << piece
        bytes += file.write(piece)
      end
      file.chmod(0o640)
      file.fsync
    end
  end
  sha256 = digest.hexdigest
  key = "originals/#{sha256[0, 2]}/#{sha256[2, 2]}/#{sha256}"
  folder = File.dirname("#{media}/#{key}")
  [File.dirname(folder), folder].each { |each| make_folder(each) }
  begin
    # A sweep that wants to remove the older file waits for this lock.
    older = File.open("#{media}/#{key}")
    older.flock(File::LOCK_SH)
  rescue Errno::ENOENT, Errno::EACCES
    # There is none, or it is another user's.
  end
  File.rename(temporary, "#{media}/#{key}")
  sync(folder)
  [key, sha256, bytes]
ensure
  older&.close
  File.unlink(temporary) if temporary && File.exist?(temporary)
end

photo, uploader, caption, latitude, longitude = ARGV
database = PG.connect(ENV.fetch("DATABASE_URL"))
identity = database.exec("select identity from darkroom.media_identity()").getvalue(0, 0)
original = store(photo, ENV.fetch("DARKROOM_MEDIA"), identity)
job = database.transaction do
  number = database.exec_params(<<~SQL, [uploader, *original, caption, latitude, longitude]).getvalue(0, 0)
    select darkroom.enqueue_upload(uploader => $1, original_key => $2, original_sha256 => $3, original_bytes => $4,
                                   caption => $5, latitude => $6, longitude => $7)
  SQL
  database.exec_params("insert into drafts (photo, job_id) values ($1, $2)", [original.first, number])
  number
end
puts job
