import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { pack } from 'tar-stream';
import { importCvat, type ImportResult } from '../../../src/cvat-import/import-cvat.js';
import { reportText } from '../../../src/cvat-import/report.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { ASSET, cloudDump, type DumpObject, smallDump } from './small-dump.js';

const NO_FILES = { found: 0, missing: 0, namesOfMissing: [], elsewhere: 0, unused: 0 };

const sealing = {
  webhookSecret: () => null,
  cloudCredentials: (stored: object) => `sealed ${Object.values(stored)[0]}`,
};
const MEDIA = ['a.png', 'b.png', 'related_images/a_png/c.png', 'manifest.jsonl', 'index.json'];

describe('importCvat', () => {
  let database: TestDatabase;
  let client: Client;
  let folder: string;
  let dataDir: string;
  let source: string;

  beforeEach(async () => {
    database = await createTestDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    folder = await mkdtemp(join(tmpdir(), 'cairn-cvat-'));
    dataDir = join(folder, 'to');
    source = join(folder, 'cvat');
    await mkdir(join(dataDir, 'media'), { recursive: true });
    for (const name of MEDIA) await put(join(source, 'data/4/raw', name), name);
    await put(join(source, 'data/4/preview.jpeg'), 'preview');
    await put(join(source, 'assets', ASSET, 'b ird.png'), 'bird');
    await client.query(
      `insert into app_user (id, username, password, is_superuser, date_joined) values (1, 'first', '!', true, now())`,
    );
  });

  afterEach(async () => {
    await client.end();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  async function put(path: string, content: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }

  async function run(
    dump: DumpObject[] | string,
    options: { dryRun?: boolean; allowMissing?: boolean; data?: string } = {},
  ): Promise<ImportResult> {
    const file = join(folder, 'dump.json');
    await writeFile(file, typeof dump === 'string' ? dump : JSON.stringify(dump));
    const { dryRun = false, allowMissing = false, data = source } = options;
    return importCvat({ databaseUrl: database.url, dataDir, dump: file, data, dryRun, allowMissing, sealing });
  }

  async function column(query: string): Promise<unknown[]> {
    const { rows } = await client.query<{ value: unknown }>(query);
    return rows.map((row) => row.value);
  }

  /** Both as they were before the import. */
  async function expectUntouched(): Promise<void> {
    expect(await column('select username as value from app_user')).toEqual(['first']);
    expect(await column('select count(*)::int as value from media_data')).toEqual([0]);
    expect(await readdir(dataDir)).toEqual(['media']);
    expect(await readdir(join(dataDir, 'media'))).toEqual([]);
  }

  const changed = (model: string, fields: Record<string, unknown>): DumpObject[] =>
    smallDump().map((object) =>
      object.model === model ? { ...object, fields: { ...object.fields, ...fields } } : object,
    );

  it('imports rows with their ids and replaces the first administrator', async () => {
    await run(smallDump());
    expect(await column(`select id || username as value from app_user`)).toEqual(['7anna']);
    expect(await column(`select task_id as value from job where id = 6`)).toEqual([9]);
    expect(await column(`select project_id || markdown as value from guide where id = 13`)).toEqual(['5# Birds']);
    expect(await column(`select uuid || filename || guide_id || owner_id as value from asset`)).toEqual([
      `${ASSET}b ird.png137`,
    ]);
    expect(await column(`select related_files as value from media_frame order by frame`)).toEqual([
      ['related_images/a_png/c.png'],
      [],
    ]);
    expect(await column(`select attributes || points as value from annotation_shape where id = 21`)).toEqual([
      '[{"spec_id":2,"value":"say \\"b\\""}][1.5,2,3.25,4]',
    ]);
    expect(await column(`insert into label (name) values ('next') returning id as value`)).toEqual([9]);
  });

  it('removes scripts from the drawings of skeletons', async () => {
    const skeleton = { project: 5, task: null, name: 'body', color: '#aabbcd', type: 'skeleton', parent: null };
    const svg = '<circle r="1" onload="alert(1)"></circle><script>alert(1)</script>';
    await run([
      ...smallDump(),
      { model: 'engine.label', pk: 80, fields: skeleton },
      { model: 'engine.skeleton', pk: 1, fields: { root: 80, svg } },
    ]);
    expect(await column('select svg as value from label where id = 80')).toEqual(['<circle r="1"></circle>']);
  });

  it('imports cloud storages with their manifests and the rows that refer to them', async () => {
    const { models } = await run([...smallDump(), ...cloudDump()]);
    expect(
      await column(
        `select concat_ws(' ', id, provider_type, credentials, manifests, owner_id) as value from cloud_storage order by id`,
      ),
    ).toEqual([
      '3 AWS_S3_BUCKET sealed k {m.jsonl,n/m.jsonl} 7',
      '4 AZURE_CONTAINER sealed a {} 7',
      '5 GOOGLE_CLOUD_STORAGE {} 7',
    ]);
    expect(await column(`select cloud_storage_id as value from storage where id = 6`)).toEqual([3]);
    expect(reportText({ models, files: NO_FILES }, false)).toMatch(
      /^engine\.cloudstorage +3 +3 +1: imported without credentials: /m,
    );
  });

  it('replaces the default settings of tasks by imported ones', async () => {
    const tasks = [9, 30, 31, 32].flatMap((pk) =>
      changed('engine.task', { consensus_replicas: pk === 9 ? 0 : 2, data: pk === 9 ? 4 : null })
        .filter(({ model }) => model === 'engine.task')
        .map((task) => ({ ...task, pk })),
    );
    const settings = { model: 'consensus.consensussettings', fields: { quorum: 0.7, iou_threshold: 0.6 } };
    const others = smallDump().filter(({ model }) => model !== 'engine.task');
    const { models } = await run([
      ...others,
      ...tasks,
      { ...settings, pk: 1, fields: { ...settings.fields, task: 32 } },
      { ...settings, pk: 2, fields: { ...settings.fields, task: 9 } },
    ]);
    const rows = `select concat_ws(' ', id, task_id, iou_threshold, quorum) as value from consensus_settings order by id`;
    expect(await column(rows)).toEqual(['1 32 0.6 0.7', '2 9 0.6 0.7', '3 30 0.4 0.5', '4 31 0.4 0.5']);
    expect(reportText({ models, files: NO_FILES }, false)).toMatch(/^consensus\.consensussettings +2 +2/m);
  });

  it('copies media to where the server looks for them', async () => {
    const { files } = await run(smallDump());
    expect(files).toEqual({ found: 4, missing: 0, namesOfMissing: [], elsewhere: 0, unused: 0 });
    expect((await readdir(dataDir)).toSorted((a, b) => a.localeCompare(b))).toEqual(['assets', 'media']);
    expect(await readFile(join(dataDir, 'assets', ASSET, 'file'), 'utf8')).toBe('bird');
    expect((await readdir(join(dataDir, 'media/4'))).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'manifest.jsonl',
      'raw',
    ]);
    expect(await readFile(join(dataDir, 'media/4/raw/related_images/a_png/c.png'), 'utf8')).toBe(
      'related_images/a_png/c.png',
    );
    expect(await readFile(join(source, 'data/4/raw/a.png'), 'utf8')).toBe('a.png');
  });

  it('reads a packed archive', async () => {
    const data = await archive({ 'home/django/data/data/4/raw/a.png': 'A' });
    const { files } = await run(smallDump(), { data, allowMissing: true });
    expect(files).toMatchObject({
      found: 1,
      missing: 3,
      namesOfMissing: ['4/raw/b.png', '4/raw/related_images/a_png/c.png', `assets/${ASSET}/b ird.png`],
    });
    expect(await readFile(join(dataDir, 'media/4/raw/a.png'), 'utf8')).toBe('A');
  });

  it('changes nothing in a dry run, and reports what cannot be imported', async () => {
    const unknown = { model: 'lambda.thing', pk: 1, fields: {} };
    const dump = [...changed('engine.label', { shade: 'dark' }), unknown];
    const result = await run(dump, { dryRun: true });
    await expectUntouched();
    const text = reportText(result, true);
    expect(text).toMatch(/^engine\.label +1 +1 +field "shade" of 1 is unknown and not imported$/m);
    expect(text).toMatch(/^lambda\.thing +1 +0 +1: unknown to this importer$/m);
    expect(text).toContain('Files: 4 found, 0 missing, 0 not needed.');
  });

  const damaged: [string, () => DumpObject[] | string, RegExp][] = [
    [
      'cut short',
      () => JSON.stringify(smallDump()).slice(0, -40),
      /^The dump .* is damaged or incomplete after engine\.labeledshapeattributeval 1 \(record 15\)\.$/,
    ],
    [
      'dangling',
      () => changed('engine.job', { segment: 99 }),
      /^engine\.job 6 refers to engine\.segment 99 \(segment\), which the dump does not have\.$/,
    ],
    [
      'unknown account',
      () => changed('engine.job', { assignee: ['bob'] }),
      /^engine\.job 6 refers to the account "bob" \(assignee\), which the dump does not have\.$/,
    ],
    [
      'repeated',
      () => [...smallDump(), ...smallDump().filter(({ model }) => model === 'engine.label')],
      /^The dump contains engine\.label 8 twice\.$/,
    ],
    ['without a field', () => changed('engine.label', { name: undefined }), /^engine\.label 8 has no field "name"\.$/],
    [
      'of a wrong type',
      () => changed('engine.job', { created_date: 'soon' }),
      /^The field "created_date" of engine\.job 6 is not a date\.$/,
    ],
    [
      'leading out',
      () => changed('engine.image', { path: '../../a.png' }),
      /\n {2}The field "path" of engine\.image 11 is not a path within the task's media\.\n/,
    ],
    [
      'against a rule',
      () => changed('engine.segment', { stop_frame: -1 }),
      /^engine\.segment 3 breaks a rule of the database \(start_frame, stop_frame\): .*ck_segment_order/,
    ],
    [
      'with an asset without a guide',
      () => changed('engine.asset', { guide: 99 }),
      /^engine\.asset 0a000000-.* refers to engine\.annotationguide 99 \(guide\), which the dump does not have\.$/,
    ],
    [
      'with a storage in a cloud storage that is not there',
      () => [...smallDump(), ...cloudDump().filter(({ model }) => model !== 'engine.cloudstorage')],
      /^3 records cannot be imported:\n(  engine\.(storage 6|manifest [12]) refers to engine\.cloudstorage 3 \(cloud_storage\), which .*\n?){3}$/,
    ],
    ['without an account', () => '[]', /^The dump .* contains no accounts\. Dump all of CVAT, /],
    ['no dump', () => '{}', /^The dump .* is damaged or incomplete at its beginning\.$/],
  ];
  it.each(damaged)('refuses a dump that is %s, and changes nothing', async (_, dump, message) => {
    await expect(run(dump())).rejects.toThrow(message);
    await expectUntouched();
  });

  it('copies only those asset files that the dump refers to', async () => {
    const other = ASSET.replaceAll('0a', '0b');
    const entries = {
      [`data/assets/${ASSET}/b ird.png`]: 'bird',
      [`data/assets/${ASSET}/old.png`]: 'old',
      [`data/assets/${other}/b ird.png`]: 'other',
      [`data/data/4/raw/assets/${ASSET}/b ird.png`]: 'a frame',
    };
    const { files } = await run(smallDump(), { data: await archive(entries), allowMissing: true });
    expect(files).toMatchObject({ found: 1, missing: 3, unused: 3 });
    expect(await readdir(join(dataDir, 'assets'))).toEqual([ASSET]);
    expect(await readdir(join(dataDir, 'assets', ASSET))).toEqual(['file']);
  });

  it('refuses media with missing files, unless the option allows them', async () => {
    const data = await archive({ 'data/4/raw/a.png': 'A' });
    await expect(run(smallDump(), { data })).rejects.toThrow(
      /^3 files of frames and guides are missing in .*, such as 4\/raw\/b\.png\. /,
    );
    await expectUntouched();
    expect((await run(smallDump(), { data, dryRun: true })).files).toMatchObject({ missing: 3 });
    await expectUntouched();
    expect((await run(smallDump(), { data, allowMissing: true })).files).toMatchObject({ missing: 3 });
  });

  it('refuses media that are truncated or point outside of their folder', async () => {
    const whole = await readFile(await archive({ 'data/4/raw/a.png': 'A'.repeat(5000), 'data/4/raw/b.png': 'B' }));
    const cut = join(folder, 'cut.tar.gz');
    await writeFile(cut, whole.subarray(0, whole.length / 2));
    await expect(run(smallDump(), { data: cut })).rejects.toThrow(/^The archive .* is damaged or incomplete\.$/);
    await expectUntouched();
    const evil = await archive({ 'data/4/raw/../../../evil.png': 'E' });
    await expect(run(smallDump(), { data: evil })).rejects.toThrow(/a file whose name is not allowed/);
    await expectUntouched();
  });

  it('requires an empty database and an unused folder', async () => {
    await put(join(dataDir, 'media/4/raw/old.png'), 'old');
    await expect(run(smallDump())).rejects.toThrow(/already exists, although the database is empty/);
    await rm(join(dataDir, 'media/4'), { recursive: true });
    await expectUntouched();
    await client.query(`insert into label (name) values ('mine')`);
    await expect(run(smallDump())).rejects.toThrow(
      'The database is not empty, it has rows in label: an import needs a new one.',
    );
  });

  async function archive(entries: Record<string, string>): Promise<string> {
    const path = join(folder, 'data.tar.gz');
    const tar = pack();
    for (const [name, content] of Object.entries(entries)) tar.entry({ name }, content);
    tar.finalize();
    await pipeline(tar, createGzip(), createWriteStream(path));
    return path;
  }
});
