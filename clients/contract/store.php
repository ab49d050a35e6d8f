<?php
// Stores a photo, and enqueues it in the app's own transaction. Prints the job's number.
//   DATABASE_URL=postgresql://… DARKROOM_MEDIA=DIR php store.php PHOTO UPLOADER CAPTION LATITUDE LONGITUDE
declare(strict_types=1);

// Warnings are errors, unless a call begins with @.
set_error_handler(function (int $level, string $message): bool {
    return error_reporting() & $level ? throw new RuntimeException($message) : true;
});

function sync(string $path): void
{
    fsync(fopen($path, 'rb')) || throw new RuntimeException("$path cannot be flushed to the disk");
}

function make_folder(string $path): void
{
    if (is_dir($path) || !@mkdir($path, 0770) && is_dir($path)) {
        return;
    }
    // Regardless of the umask; an inherited set-group-ID bit stays.
    chmod($path, 0770 | fileperms($path) & 02000);
    sync(dirname($path));
}

/** Returns the key, the hash and the size. */
function store(string $photo, string $media, ?string $identity): array
{
    $originals = "$media/originals";
    $marker = (string) @file_get_contents("$originals/.darkroom-store", length: 64);
    if ($identity !== null && trim($marker) !== $identity) {
        throw new RuntimeException("$media is not the media store $identity: mount the right disk, or correct the path");
    }
    foreach ([$originals, "$originals/.unfinished"] as $folder) {
        make_folder($folder);
    }
    $source = fopen($photo, 'rb');
    $temporary = "$originals/.unfinished/" . getmypid() . '-' . bin2hex(random_bytes(8));
    $file = fopen($temporary, 'xb');
    try {
        chmod($temporary, 0640);
        $hash = hash_init('sha256');
        $bytes = 0;
        while (($piece = fread($source, 262144)) !== '') {
            hash_update($hash, $piece);
            $bytes += strlen($piece);
            fwrite($file, $piece) === strlen($piece) || throw new RuntimeException("$temporary cannot be written");
        }
        fsync($file) || throw new RuntimeException("$temporary cannot be flushed to the disk");
        $sha256 = hash_final($hash);
        $folder = "$originals/" . substr($sha256, 0, 2);
        make_folder($folder);
        $folder .= '/' . substr($sha256, 2, 2);
        make_folder($folder);
        // A sweep that wants to remove the older file waits for this lock.
        $older = @fopen("$folder/$sha256", 'rb');
        $older && flock($older, LOCK_SH);
        rename($temporary, "$folder/$sha256");
        sync($folder);
    } finally {
        @unlink($temporary);
    }
    return [substr("$folder/$sha256", strlen($media) + 1), $sha256, $bytes];
}

[, $photo, $uploader, $caption, $latitude, $longitude] = $argv;
$database = pg_connect(getenv('DATABASE_URL'));
$identity = pg_fetch_result(pg_query($database, 'select identity from darkroom.media_identity()'), 0, 0);
[$key, $sha256, $bytes] = store($photo, getenv('DARKROOM_MEDIA'), $identity);
pg_query($database, 'begin');
$job = pg_fetch_result(pg_query_params($database, 'select darkroom.enqueue_upload(uploader => $1, original_key => $2,
    original_sha256 => $3, original_bytes => $4, caption => $5, latitude => $6, longitude => $7)',
    [$uploader, $key, $sha256, $bytes, $caption, $latitude, $longitude]), 0, 0);
pg_query_params($database, 'insert into drafts (photo, job_id) values ($1, $2)', [$key, $job]);
pg_query($database, 'commit');
echo "$job\n";
