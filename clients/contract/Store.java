// Stores a photo, and enqueues it in the app's own transaction. Prints the job's number.
//   DATABASE_URL=postgresql://… DARKROOM_MEDIA=DIR
//   java -cp /usr/share/java/postgresql.jar Store.java PHOTO UPLOADER CAPTION LATITUDE LONGITUDE
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.*;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.security.MessageDigest;
import java.sql.*;
import java.util.HexFormat;
import java.util.UUID;

class Store {
    record Original(String key, String sha256, long bytes) {}

    static void sync(Path folder) throws IOException {
        try (var channel = FileChannel.open(folder, READ)) { channel.force(true); }
    }

    static void makeFolder(Path path) throws IOException {
        try {
            Files.createDirectory(path);
        } catch (FileAlreadyExistsException thereAlready) {
            return;
        }
        // Regardless of the umask; an inherited set-group-ID bit stays.
        Files.setAttribute(path, "unix:mode", 0770 | (int) Files.getAttribute(path, "unix:mode") & 02000);
        sync(path.getParent());
    }

    static Original store(Path photo, Path media, String identity) throws Exception {
        Path originals = media.resolve("originals"), marker = originals.resolve(".darkroom-store");
        if (identity != null && !(Files.isRegularFile(marker) && Files.readString(marker).strip().equals(identity)))
            throw new IOException(media + " is not the media store " + identity + ": mount the right disk, or correct the path");
        Path unfinished = originals.resolve(".unfinished");
        for (Path folder : new Path[] {originals, unfinished}) makeFolder(folder);
        Path temporary = unfinished.resolve(UUID.randomUUID().toString());
        try (var source = FileChannel.open(photo, READ); var file = FileChannel.open(temporary, WRITE, CREATE_NEW)) {
            Files.setAttribute(temporary, "unix:mode", 0640);
            var digest = MessageDigest.getInstance("SHA-256");
            var buffer = ByteBuffer.allocateDirect(262144);
            while (source.read(buffer.clear()) >= 0) {
                digest.update(buffer.flip());
                buffer.rewind();
                while (buffer.hasRemaining()) file.write(buffer);
            }
            file.force(true);
            String sha256 = HexFormat.of().formatHex(digest.digest());
            String key = "originals/" + sha256.substring(0, 2) + "/" + sha256.substring(2, 4) + "/" + sha256;
            Path stored = media.resolve(key), folder = stored.getParent();
            for (Path each : new Path[] {folder.getParent(), folder}) makeFolder(each);
            Files.move(temporary, stored, ATOMIC_MOVE);
            sync(folder);
            return new Original(key, sha256, file.size());
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** The driver has URLs of its own, without a login. */
    static Connection connect(URI url) throws SQLException {
        String[] login = url.getUserInfo().split(":", 2);
        return DriverManager.getConnection(
            "jdbc:postgresql://" + url.getHost() + ":" + (url.getPort() < 0 ? 5432 : url.getPort()) + url.getPath()
                + (url.getRawQuery() == null ? "" : "?" + url.getRawQuery()), login[0], login.length > 1 ? login[1] : null);
    }

    public static void main(String[] words) throws Exception {
        try (Connection database = connect(URI.create(System.getenv("DATABASE_URL")))) {
            ResultSet known = database.createStatement().executeQuery("select identity from darkroom.media_identity()");
            known.next();
            Original original = store(Path.of(words[0]), Path.of(System.getenv("DARKROOM_MEDIA")), known.getString(1));
            database.setAutoCommit(false);
            var call = database.prepareStatement("""
                select darkroom.enqueue_upload(uploader => ?, original_key => ?, original_sha256 => ?, original_bytes => ?,
                                               caption => ?, latitude => ?, longitude => ?)""");
            Object[] values = {words[1], original.key, original.sha256, original.bytes, words[2],
                Double.valueOf(words[3]), Double.valueOf(words[4])};
            for (int n = 0; n < values.length; n++) call.setObject(n + 1, values[n]);
            ResultSet enqueued = call.executeQuery();
            enqueued.next();
            long job = enqueued.getLong(1);
            var draft = database.prepareStatement("insert into drafts (photo, job_id) values (?, ?)");
            draft.setString(1, original.key);
            draft.setLong(2, job);
            draft.executeUpdate();
            database.commit();
            System.out.println(job);
        }
    }
}
