import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { to } from 'pg-copy-streams';
import { extract } from 'tar-stream';
import { backUp, type BackupResult } from '../../../src/backup/backup.js';
import { BackupError, type BackupHeader } from '../../../src/backup/backup-format.js';
import { RestoredFolder } from '../../../src/backup/backup-storage.js';
import { restore, type RestoreResult } from '../../../src/backup/restore.js';
import type { Config } from '../../../src/config/config.js';
import { readConfig } from '../../../src/config/env.js';
import { HeldRemovals } from '../../../src/core/media-storage/held-removals.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { requireSameInstallation } from '../../../src/core/database/installation.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { until } from '../../support/promises.js';
import { execute, serverVariable, withDatabase } from '../../support/database.js';
import { askForExport, ended } from '../../support/given-exchange.js';
import { Given, type Person } from '../../support/given.js';
import { givenPhotos, givenTask, processed, sendFiles } from '../../support/given-media.js';
import { imageFile } from '../../support/images.js';
import { describeWithFfmpeg, numberedVideo } from '../../support/videos.js';

const SECRET_KEY = 'a secret of the tests';
/** A migration that only creates indexes. */
const INDEXES = 'AuditIndexes1795662660000';
const FORMAT = 'CVAT for images 1.1';

/** An empty database and an empty data folder. */
interface Place {
  readonly url: string;
  readonly config: Config;
  drop(): Promise<void>;
}

async function emptyPlace(env: Readonly<Record<string, string>> = { SECRET_KEY }): Promise<Place> {
  const server = process.env[serverVariable] ?? '';
  const name = `cairn_restored_${randomBytes(8).toString('hex')}`;
  await execute(server, `create database ${name}`);
  const url = withDatabase(server, name);
  const dataDir = await mkdtemp(join(tmpdir(), 'cairn-restored-'));
  return {
    url,
    config: readConfig({ DATABASE_URL: url, DATA_DIR: dataDir, ...env }),
    async drop() {
      await execute(server, `drop database ${name}`);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

describeWithFfmpeg('backup and restore', () => {
  let app: TestApp;
  let owner: Person;
  let folder: string;
  let archive: string;
  let result: BackupResult;
  let photos: { id: number; files: Record<string, Buffer> };
  let video: number;
  let doomed: number;
  let frame: Buffer;
  let asset: Buffer;
  let assetUrl: string;
  let exportUrl: string;
  let webhook: number;

  const json = async (asked: PromiseLike<{ status: number; body: unknown }>): Promise<{ id: number; uuid: string }> => {
    const { status, body } = await asked;
    if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body as { id: number; uuid: string };
  };
  const save = (id: number, label: number): PromiseLike<unknown> => {
    const shape = { label_id: label, type: 'rectangle', points: [1, 2, 3, 4] };
    const shapes = [{ ...shape, frame: 0 }, { ...shape, frame: 1 }];
    return owner.http.patch(`/api/tasks/${id}/annotations?action=create`).send({ shapes }).expect(200);
  }; // prettier-ignore

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-backups-'));
    archive = join(folder, 'backup.tar');
    app = await createTestApp({ env: { SECRET_KEY } });
    await requireSameInstallation(app.config);
    owner = await new Given(app).person();
    const project = await json(owner.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'car' }] }));
    photos = await givenPhotos(app, owner, 3, { project_id: project.id });
    doomed = (await givenPhotos(app, owner, 2)).id;
    video = await givenTask(owner);
    await sendFiles(owner, video, { 'v.mp4': numberedVideo({ frames: 30 }) }).expect(202);
    await processed(app, owner, video);
    frame = (await owner.http.get(`/api/tasks/${video}/data?type=frame&number=7`).expect(200)).body as Buffer;
    const guide = await json(owner.http.post('/api/guides').send({ project_id: project.id }));
    asset = await imageFile({ red: 200 });
    const form = owner.http.post('/api/assets').field('guide_id', String(guide.id)).attach('file', asset, 'a.jpg');
    assetUrl = `/api/assets/${(await json(form)).uuid}`;
    const target = { target_url: 'http://127.0.0.1:9/', type: 'project', project_id: project.id, secret: 's3cret' };
    webhook = (await json(owner.http.post('/api/webhooks').send({ ...target, content_type: 'application/json', events: ['update:task'] }))).id;
    const exported = await ended(app, owner, await askForExport(owner, `tasks/${photos.id}`, { format: FORMAT }));
    exportUrl = String(exported['result_url']).replace(/^http:\/\/[^/]*/, '');
    result = await backUpWhileBusy();
  }); // prettier-ignore
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });

  /** Saves annotations, creates a task and deletes another one while the backup is written. */
  async function backUpWhileBusy(): Promise<BackupResult> {
    const labels = (await owner.http.get(`/api/labels?task_id=${photos.id}`)).body as { results: { id: number }[] };
    const label = labels.results[0]?.id ?? 0;
    await save(photos.id, label);
    const stop = new AbortController();
    const saving = (async () => {
      while (!stop.signal.aborted) await save(photos.id, label);
    })();
    const file = createWriteStream(archive);
    let bytes = 0;
    const target = new Writable({
      write(piece: Buffer, _, done) {
        bytes += piece.length;
        const pass = (): void => void file.write(piece, done);
        if (bytes - piece.length > 0) return pass();
        // The snapshot has been taken: from now on changes must not be part of the backup.
        void change().then(pass, done);
      },
      final: (done) => void file.end(done),
    });
    const change = async (): Promise<void> => {
      await owner.http.delete(`/api/tasks/${doomed}`).expect(204);
      await owner.http.patch(`/api/tasks/${photos.id}`).send({ name: 'changed later' }).expect(200);
      await givenPhotos(app, owner, 1);
    };
    try {
      return await backUp({ config: app.config, target, secretKey: true });
    } finally {
      stop.abort();
      await saving;
    }
  }

  const restored = (
    place: Place,
    source: Readable = createReadStream(archive),
    more: object = {},
  ): Promise<RestoreResult> =>
    restore({
      config: place.config,
      extensions: [],
      storage: new RestoredFolder(place.config.dataDir),
      source,
      newSecret: false,
      webhooks: true,
      ...more,
    });

  it('restores every row and every file of the snapshot under a new name', async () => {
    expect(result).toMatchObject({ missing: [], missingCount: 0, includesSecretKey: false });
    const place = await emptyPlace();
    const { header, manifest, migrated } = await restored(place);
    expect(migrated).toEqual([]);
    expect(manifest.files).toBe(result.files);
    const entries = await entriesOf(archive);
    for (const { name, columns } of header.tables) {
      if (name === 'installation' || name === 'background_request') continue;
      const rows = [...entries].filter(([entry]) => entry.startsWith(`database/${name}/`)).map(([, content]) => gunzipSync(content).toString()).join('');
      expect([name, sorted(rows)]).toEqual([name, sorted(await copied(place.url, name, columns))]);
    }
    for (const [entry, content] of entries)
      if (entry.startsWith('files/')) expect((await readFile(join(place.config.dataDir, entry.slice(6)))).equals(content)).toBe(true);
    await place.drop();
  }); // prettier-ignore

  it('restores an installation that works', async () => {
    const place = await emptyPlace();
    await restored(place);
    await requireSameInstallation(place.config);
    const database = { url: place.url, drop: place.drop };
    const copy = await createTestApp({ database, dataDir: place.config.dataDir, env: { SECRET_KEY } });
    try {
      const read = (path: string) => copy.http.get(path).set('Authorization', `Token ${owner.token}`).expect(200);
      const task = await read(`/api/tasks/${photos.id}`);
      expect(task.body).toMatchObject({ name: 'media', size: 3 });
      const original = await read(`/api/tasks/${photos.id}/data?type=frame&number=1&quality=original`);
      expect(original.body).toEqual(photos.files['img_01.jpg']);
      expect((await read(`/api/tasks/${video}/data?type=frame&number=7`)).body).toEqual(frame);
      expect((await read(assetUrl)).body).toEqual(asset);
      expect((await read(exportUrl)).headers['content-type']).toContain('zip');
      // It was deleted while the backup was made.
      await read(`/api/tasks/${doomed}/data?type=frame&number=1&quality=original`);
      const { body } = await read(`/api/tasks/${photos.id}/annotations`);
      expect((body as { shapes: object[] }).shapes.length % 2).toBe(0);
      await read(`/api/webhooks/${webhook}`);
      // New rows get new ids.
      const made = copy.http.post('/api/tasks').set('Authorization', `Token ${owner.token}`).send({ name: 'n', labels: [{ name: 'x' }] });
      expect((await json(made)).id).toBeGreaterThan(photos.id);
      await copy.http.delete(`/api/tasks/${doomed}`).set('Authorization', `Token ${owner.token}`).expect(204);
      await copy.drain();
    } finally {
      await copy.close();
      await place.drop();
    }
  }); // prettier-ignore

  it('lets files be removed afterwards', async () => {
    const keys = (await app.db.query<{ key: string }>(sql`select key from held_removal`)).map(({ key }) => key);
    const [folderKey = ''] = keys.filter((key) => key.startsWith('media/'));
    expect(await readdir(join(app.config.dataDir, folderKey))).not.toEqual([]);
    await app.app.get(HeldRemovals).tidy();
    await expect(readdir(join(app.config.dataDir, folderKey))).rejects.toThrow('ENOENT');
    expect(await app.db.query(sql`select key from held_removal`)).toEqual([]);
  });

  it('deactivates webhooks on request', async () => {
    const place = await emptyPlace();
    await restored(place, createReadStream(archive), { webhooks: false });
    const client = new Client({ connectionString: place.url });
    await client.connect();
    expect((await client.query('select is_active from webhook')).rows).toEqual([{ is_active: false }]);
    await client.end();
    await place.drop();
  });

  it('brings an older backup up to date', async () => {
    const place = await emptyPlace();
    const older = await edited((header) => ({
      ...header,
      migrations: header.migrations.filter((name) => name !== INDEXES),
    }));
    expect((await restored(place, older)).migrated).toEqual([INDEXES]);
    await place.drop();
  });

  describe('refuses', () => {
    let place: Place;
    beforeAll(async () => {
      place = await emptyPlace();
    });
    afterAll(() => place.drop());

    const refusal = async (source: Readable, into = place, more: object = {}): Promise<string> => {
      const error: unknown = await restored(into, source, more).catch((reason: unknown) => reason);
      if (!(error instanceof BackupError)) throw error;
      expect((await readdir(into.config.dataDir)).filter((name) => name !== 'media')).toEqual([]);
      return error.message;
    };

    it('truncated archives', async () => {
      const content = await readFile(archive);
      for (const bytes of [0, 100, 3000, content.length / 2, content.length - 2000])
        expect(await refusal(Readable.from([content.subarray(0, bytes)]))).toMatch(/incomplete|damaged|not a backup/);
    });

    it('archives in which a byte was changed', async () => {
      const content = await readFile(archive);
      const names: string[] = [];
      const inEntry = (name: string): number => content.indexOf(name) + 512 + 30;
      const places = ['files/media/', 'files/assets/', 'header.json', 'database/annotation_shape/', 'manifest.json', 'end.json'];
      for (const at of places.map(inEntry)) {
        const changed = Buffer.from(content);
        changed[at] = (changed[at] ?? 0) ^ 1;
        names.push(await refusal(Readable.from([changed])));
      }
      expect(names[0]).toMatch(/^The backup is damaged: files\/(media|assets)\//);
      expect(names.every((name) => name.startsWith('The backup is damaged'))).toBe(true);
    }); // prettier-ignore

    it('other files', async () => {
      for (const text of ['', 'hello', 'hello\n'.repeat(1000)])
        expect(await refusal(Readable.from([Buffer.from(text)]))).toBe('This is not a backup of Cairn.');
      expect(await refusal(await edited((header) => ({ ...header, format: 'zip' as never })))).toBe('This is not a backup of Cairn.');
      expect(await refusal(await edited((header) => ({ ...header, version: 2 })))).toMatch(/made by a newer version/);
      expect(await refusal(await edited((header) => ({ ...header, migrations: [...header.migrations, 'Future1'] })))).toMatch(/it has the migration Future1/);
      expect(await refusal(await edited((header) => ({ ...header, partitions: [{ parent: 'logged_event', name: 'x', bound: "DEFAULT; drop table task" }] })))).toMatch(/damaged: header/);
    }); // prettier-ignore

    it('another secret, unless it is asked to', async () => {
      const other = await emptyPlace({ SECRET_KEY: 'another secret of the tests' });
      expect(await refusal(createReadStream(archive), other)).toMatch(
        /belongs to another secret key.*copy the file secret\.key .*--new-secret/,
      );
      await restored(other, createReadStream(archive), { newSecret: true });
      await requireSameInstallation(other.config);
      await other.drop();
    });

    it('a data folder or a database with content', async () => {
      const { url, config, drop } = await emptyPlace();
      const file = join(config.dataDir, 'media');
      await writeFile(join(config.dataDir, 'x'), '');
      await restored({ url, config, drop });
      expect(await refusalOf(config)).toMatch(/^The data folder is not empty: .*(media|assets|exports)/);
      for (const name of ['media', 'assets', 'exports', 'uploads', 'imports']) await rm(join(config.dataDir, name), { recursive: true, force: true });
      expect(await refusalOf(config)).toMatch(/^The database is not empty: it has an installation of Cairn/);
      expect(file).toContain(config.dataDir);
      await drop();
    }); // prettier-ignore

    const refusalOf = async (config: Config): Promise<string> => {
      const error: unknown = await restored({ url: config.databaseUrl, config, drop: () => Promise.resolve() }).catch((reason: unknown) => reason);
      if (!(error instanceof BackupError)) throw error;
      return error.message;
    }; // prettier-ignore

    it('a second restore into the same database, and completes the first', async () => {
      const { url, config, drop } = await emptyPlace();
      const content = await readFile(archive);
      const slow = new PassThrough();
      slow.write(content.subarray(0, content.length - 10_000));
      const first = restored({ url, config, drop }, slow);
      const refused = 'Another restore into this database is running.';
      await until(() => activeLock(url));
      expect(await refusalOf(config)).toBe(refused);
      await until(async () => (await readdir(config.dataDir)).some((name) => name.startsWith('.restore-')));
      expect(await refusalOf(config)).toBe(refused);
      slow.end(content.subarray(content.length - 10_000));
      expect((await first).manifest.files).toBe(result.files);
      for (const entry of (await entriesOf(archive)).keys())
        if (entry.startsWith('files/')) await access(join(config.dataDir, entry.slice(6)));
      await drop();
    });

    it('to go on when its files are removed or replaced', async () => {
      const root = await mkdtemp(join(tmpdir(), 'cairn-restored-'));
      const [first, second] = [new RestoredFolder(root), new RestoredFolder(root)];
      await first.put('media/1/a', Readable.from(['a']));
      await second.requireEmpty();
      await expect(first.put('media/1/b', Readable.from(['b']))).rejects.toThrow('Another process has changed');
      await expect(first.place()).rejects.toThrow('Another process has changed');
      await second.put('media/1/a', Readable.from(['a']));
      const third = new RestoredFolder(root);
      await third.put('media/2/a', Readable.from(['a']));
      await second.place();
      await expect(third.place()).rejects.toThrow('Another process has changed');
      await Promise.all([first.discard(), third.discard()]);
      expect(await readdir(root, { recursive: true })).toEqual(['media', 'media/1', 'media/1/a']);
      await rm(root, { recursive: true });
    });

    it('to go on when the disk is full, and can be run again', async () => {
      const storage = new RestoredFolder(place.config.dataDir);
      const put = storage.put.bind(storage);
      let left = 4;
      storage.put = async (key, content) => {
        if (left-- > 0) return put(key, content);
        throw Object.assign(new Error('write'), { code: 'ENOSPC', syscall: 'write' });
      };
      await expect(restored(place, createReadStream(archive), { storage })).rejects.toThrow('write');
      expect(await readdir(place.config.dataDir)).toEqual([]);
      await restored(place);
    });
  });

  it('reports a full disk while it writes', async () => {
    const full = new Writable({
      write: (_, __, done) => done(Object.assign(new Error('write'), { code: 'ENOSPC', syscall: 'write' })),
    });
    await expect(backUp({ config: app.config, target: full, secretKey: true })).rejects.toThrow('write');
  });

  /** The archive with another header, and checksums that match. */
  async function edited(change: (header: BackupHeader) => BackupHeader): Promise<Readable> {
    const { ArchiveWriter } = await import('../../../src/backup/archive-writer.js');
    const entries = await entriesOf(archive);
    const manifest = JSON.parse(entries.get('manifest.json')?.toString() ?? '') as never;
    const path = join(folder, `${randomBytes(4).toString('hex')}.tar`);
    const writer = await ArchiveWriter.open(createWriteStream(path));
    for (const [name, content] of entries) {
      if (name === 'header.json')
        await writer.add(name, Buffer.from(JSON.stringify(change(JSON.parse(content.toString()) as BackupHeader))));
      else if (!['SHA256SUMS', 'manifest.json', 'end.json'].includes(name)) await writer.add(name, content);
    }
    await writer.finish(manifest);
    await writer.close();
    return createReadStream(path);
  }
});

async function entriesOf(path: string): Promise<Map<string, Buffer>> {
  const entries = new Map<string, Buffer>();
  const archive = extract();
  createReadStream(path).pipe(archive as unknown as Writable);
  for await (const entry of archive) entries.set(entry.header.name, await buffer(entry));
  return entries;
}

/** Whether a session holds an advisory lock in the database. */
async function activeLock(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rowCount } = await client.query(
    `select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
  );
  await client.end();
  return rowCount !== 0;
}

const sorted = (rows: string): string[] => rows.split('\n').sort();

async function copied(url: string, table: string, columns: readonly string[]): Promise<string> {
  const client = new Client({ connectionString: url, options: '-c timezone=UTC -c extra_float_digits=1' });
  await client.connect();
  const rows = await buffer(client.query(to(`copy (select ${columns.join(', ')} from ${table}) to stdout`)));
  await client.end();
  return rows.toString();
}
