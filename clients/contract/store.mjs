// Stores a photo, and enqueues it in the app's own transaction. Prints the job's number.
//   DATABASE_URL=postgresql://… DARKROOM_MEDIA=DIR node store.mjs PHOTO UPLOADER CAPTION LATITUDE LONGITUDE
import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

// Debian's package of node-pg is found by require alone.
const { Client } = createRequire(import.meta.url)('pg');

async function sync(folder) {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function makeFolder(path) {
  try {
    await mkdir(path, { mode: 0o770 });
  } catch (error) {
    if (error.code === 'EEXIST') return;
    throw error;
  }
  // Regardless of the umask; an inherited set-group-ID bit stays.
  await chmod(path, 0o770 | ((await stat(path)).mode & 0o2000));
  await sync(dirname(path));
}

async function store(photo, media, identity) {
  const originals = `${media}/originals`;
  const marker = await readFile(`${originals}/.darkroom-store`, 'latin1').catch(() => '');
  if (identity !== null && marker.trim() !== identity) {
    throw new Error(`${media} is not the media store ${identity}: mount the right disk, or correct the path`);
  }
  for (const folder of [originals, `${originals}/.unfinished`]) await makeFolder(folder);
  const source = await open(photo);
  const temporary = `${originals}/.unfinished/${process.pid}-${randomBytes(8).toString('hex')}`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    const buffer = Buffer.alloc(262144);
    let bytes = 0;
    for (let count; (count = (await source.read(buffer, 0, buffer.length)).bytesRead) > 0; bytes += count) {
      const piece = buffer.subarray(0, count);
      hash.update(piece);
      await file.writeFile(piece);
    }
    await file.chmod(0o640);
    await file.sync();
    const sha256 = hash.digest('hex');
    const key = `originals/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
    const folder = dirname(`${media}/${key}`);
    for (const each of [dirname(folder), folder]) await makeFolder(each);
    await rename(temporary, `${media}/${key}`);
    await sync(folder);
    return [key, sha256, bytes];
  } finally {
    await rm(temporary, { force: true });
    await Promise.all([source.close(), file.close()]);
  }
}

const [photo, uploader, caption, latitude, longitude] = process.argv.slice(2);
const database = new Client({ connectionString: process.env.DATABASE_URL });
await database.connect();
const { rows: [{ identity }] } = await database.query('select identity from darkroom.media_identity()');
const original = await store(photo, process.env.DARKROOM_MEDIA, identity);
await database.query('begin');
const { rows: [{ job }] } = await database.query(
  `select darkroom.enqueue_upload(uploader => $1, original_key => $2, original_sha256 => $3, original_bytes => $4,
                                  caption => $5, latitude => $6, longitude => $7) as job`,
  [uploader, ...original, caption, latitude, longitude]);
await database.query('insert into drafts (photo, job_id) values ($1, $2)', [original[0], job]);
await database.query('commit');
console.log(job);
await database.end();
