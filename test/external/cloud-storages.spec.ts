import { generateKeyPairSync } from 'node:crypto';
import { BlobServiceClient, ContainerSASPermissions } from '@azure/storage-blob';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../support/app.js';
import { askForExport, ended } from '../support/given-exchange.js';
import { Given, type Person } from '../support/given.js';
import { givenTask, processed } from '../support/given-media.js';
import { givenStorage } from '../support/given-storage.js';
import { imageFile } from '../support/images.js';
import { freePort } from '../../tools/free-port.mjs';
import { describeWith, type Program, startProgram } from './support/programs.js';

const BUCKET = 'photos';

/** A bucket on an emulator. */
interface Emulator {
  readonly program: Program;
  /** Of the application. */
  readonly env: Readonly<Record<string, string>>;
  /** The credentials in the body of a cloud storage, by name; the first is used for everything. */
  readonly credentials: readonly (readonly [string, object])[];
  /** What must not be in any response or log. */
  readonly secrets: readonly string[];
  put(key: string, content: Buffer): Promise<void>;
  get(key: string): Promise<Buffer>;
}

async function startGoogle(): Promise<Emulator> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [
    '-scheme',
    'http',
    '-host',
    '127.0.0.1',
    '-port',
    String(port),
    '-backend',
    'memory',
    '-external-url',
    url,
  ];
  const program = await startProgram('fake-gcs-server', () => args, { port });
  await fetch(`${url}/storage/v1/b?project=p`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: BUCKET }),
  });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const keyFile = JSON.stringify({ type: 'service_account', client_email: 'a@b.c', private_key: key });
  return {
    program,
    env: { GOOGLE_STORAGE_ENDPOINT: url },
    credentials: [
      ['a key file', { provider_type: 'GOOGLE_CLOUD_STORAGE', credentials_type: 'KEY_FILE_PATH', key_file: keyFile }],
      ['anonymous access', { provider_type: 'GOOGLE_CLOUD_STORAGE', credentials_type: 'ANONYMOUS_ACCESS' }],
    ],
    secrets: [key.split('\n')[2] ?? '', 'a@b.c'],
    async put(name, content) {
      const query = new URLSearchParams({ uploadType: 'media', name });
      await fetch(`${url}/upload/storage/v1/b/${BUCKET}/o?${query}`, { method: 'POST', body: new Uint8Array(content) });
    },
    async get(name) {
      const response = await fetch(`${url}/storage/v1/b/${BUCKET}/o/${encodeURIComponent(name)}?alt=media`);
      return Buffer.from(await response.arrayBuffer());
    },
  };
}

const ACCOUNT = 'devstoreaccount1';
/** The published key of the emulator's account. */
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

async function startAzure(): Promise<Emulator> {
  const args = (port: number): string[] => ['--blobHost', '127.0.0.1', '--blobPort', String(port), '--inMemoryPersistence', '--skipApiVersionCheck', '--disableTelemetry']; // prettier-ignore
  const program = await startProgram('azurite-blob', args);
  const endpoint = `http://127.0.0.1:${program.port}/${ACCOUNT}`;
  const text = `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${KEY};BlobEndpoint=${endpoint};`;
  const container = BlobServiceClient.fromConnectionString(text).getContainerClient(BUCKET);
  await container.create({ access: 'container' });
  const expiresOn = new Date(Date.now() + 3_600_000);
  const permissions = ContainerSASPermissions.parse('racwdl');
  const { search: sas } = new URL(await container.generateSasUrl({ permissions, expiresOn }));
  const azure = {
    provider_type: 'AZURE_CONTAINER',
    specific_attributes: `endpoint_url=${encodeURIComponent(endpoint)}`,
  };
  return {
    program,
    env: {},
    credentials: [
      ['an account and a SAS token', { ...azure, credentials_type: 'ACCOUNT_NAME_TOKEN_PAIR', account_name: ACCOUNT, session_token: sas }],
      ['a connection string', { ...azure, specific_attributes: '', credentials_type: 'CONNECTION_STRING', connection_string: text }],
      ['anonymous access', { ...azure, credentials_type: 'ANONYMOUS_ACCESS', account_name: ACCOUNT }],
    ],
    secrets: [KEY, new URLSearchParams(sas).get('sig') ?? '', encodeURIComponent(new URLSearchParams(sas).get('sig') ?? '')],
    put: async (key, content) => void (await container.getBlockBlobClient(key).uploadData(content)),
    get: (key) => container.getBlockBlobClient(key).downloadToBuffer(),
  }; // prettier-ignore
}

const EXPORT = 'CVAT for images 1.1';
const IMPORT = 'CVAT 1.1';

function tests(start: () => Promise<Emulator>): void {
  let emulator: Emulator;
  let app: TestApp;
  let owner: Person;
  let storage: number;
  let log = '';

  beforeAll(async () => {
    emulator = await start();
    for (const [at, key] of ['a.jpg', 'dir/1.jpg', 'dir/2.jpg', 'dir/sub/3.jpg'].entries())
      await emulator.put(key, await imageFile({ width: 600 + at, height: 300, red: at * 40 }));
    const line = (name: string): string => JSON.stringify({ name, extension: '.jpg', width: 777, height: 555 });
    const manifest = ['{"version":"1.1"}', '{"type":"images"}', line('2'), line('1'), line('sub/3')];
    await emulator.put('dir/manifest.jsonl', Buffer.from(manifest.join('\n')));
    await emulator.put('empty.txt', Buffer.alloc(0));
    const env = { ...emulator.env, LOG_LEVEL: 'debug' };
    app = await createTestApp({ env, log: { write: (written) => void (log += written) } });
    owner = await new Given(app).person();
    storage = await givenStorage(owner, body());
  });
  afterAll(async () => {
    await app.close();
    await emulator.program.stop();
  });

  const body = (more: object = {}): object => ({
    resource: BUCKET,
    display_name: 'Photographs',
    ...emulator.credentials[0]?.[1],
    ...more,
  });
  const content = async (query: string): Promise<{ next: string | null; names: string[] }> => {
    const { body: page } = await owner.http.get(`/api/cloudstorages/${storage}/content-v2${query}`).expect(200);
    const { next, content: entries } = page as { next: string | null; content: { name: string; type: string }[] };
    return { next, names: entries.map(({ name, type }) => (type === 'DIR' ? `${name}/` : name)) };
  };
  const cloud = (filename: string) => ({ location: 'cloud_storage', cloud_storage_id: String(storage), filename });

  it('opens the bucket with every type of credentials', async () => {
    for (const [, credentials] of emulator.credentials) {
      const id = await givenStorage(owner, body(credentials));
      expect((await owner.http.get(`/api/cloudstorages/${id}/status`)).body).toBe('AVAILABLE');
      const isOpen = 'credentials_type' in credentials && credentials.credentials_type === 'ANONYMOUS_ACCESS';
      const actions = await owner.http.get(`/api/cloudstorages/${id}/actions`);
      expect(actions.text).toBe(isOpen ? '["read"]' : '["read","write"]');
      await owner.http.get(`/api/cloudstorages/${id}/preview`).expect(200).expect('content-type', 'image/jpeg');
      const renamed = await owner.http.patch(`/api/cloudstorages/${id}`).send({ display_name: 'Other', manifests: ['dir/manifest.jsonl'] });
      expect([renamed.status, renamed.body.manifests]).toEqual([200, ['dir/manifest.jsonl']]);
    }
  }); // prettier-ignore

  it('rejects what is not there', async () => {
    const missing = await owner.http.post('/api/cloudstorages').send(body({ resource: 'nowhere' }));
    expect([missing.status, missing.text]).toEqual([400, expect.stringMatching(/^resource: The resource nowhere not found|^resource: Access to the resource nowhere denied/)]);
    const manifest = await owner.http.post('/api/cloudstorages').send(body({ manifests: ['none.jsonl'] }));
    expect([manifest.status, manifest.text]).toEqual([400, 'manifests: There is no file none.jsonl in the resource photos.\n']);
  }); // prettier-ignore

  it('lists folders, pages and manifests', async () => {
    expect(await content('')).toEqual({ next: null, names: ['dir/', 'a.jpg', 'empty.txt'] });
    expect(await content('?prefix=dir/')).toEqual({ next: null, names: ['sub/', '1.jpg', '2.jpg', 'manifest.jsonl'] });
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const page = await content(`?prefix=dir/&page_size=1&next_token=${encodeURIComponent(next)}`);
      seen.push(...page.names);
      ({ next } = page);
    }
    // One of the emulators repeats the folders on every page.
    expect([...new Set(seen)].sort()).toEqual(['1.jpg', '2.jpg', 'manifest.jsonl', 'sub/']);
    expect((await content('?manifest_path=dir/manifest.jsonl&prefix=dir/')).names).toEqual(['sub/', '2.jpg', '1.jpg']);
    const missing = await owner.http.get(`/api/cloudstorages/${storage}/content-v2?manifest_path=no.jsonl`);
    expect([missing.status, missing.body]).toEqual([404, 'no.jsonl in the resource photos not found. It may have been deleted.']);
  }); // prettier-ignore

  const taskOf = async (parameters: object): Promise<number> => {
    const id = await givenTask(owner);
    await owner.http.post(`/api/tasks/${id}/data`).send({ image_quality: 70, cloud_storage_id: storage, ...parameters }).expect(202);
    const request = await processed(app, owner, id);
    expect(request.body).toMatchObject({ status: 'finished', message: '' });
    return id;
  }; // prettier-ignore
  const names = async (id: number): Promise<string[]> =>
    ((await owner.http.get(`/api/tasks/${id}/data/meta`)).body as { frames: { name: string }[] }).frames.map(
      ({ name }) => name,
    );

  it('creates tasks from files, folders and manifests, and reads their frames', async () => {
    const id = await taskOf({ server_files: ['a.jpg', 'dir/'] });
    expect(await names(id)).toEqual(['a.jpg', 'dir/1.jpg', 'dir/2.jpg', 'dir/sub/3.jpg']);
    const frame = await owner.http.get(`/api/tasks/${id}/data?type=frame&number=1&quality=original`).expect(200);
    expect(frame.body).toEqual(await emulator.get('dir/1.jpg'));
    await owner.http.get(`/api/tasks/${id}/data?type=chunk&number=0&quality=compressed`).expect(200);
    const ordered = await taskOf({ server_files: ['dir/manifest.jsonl', 'dir/'], sorting_method: 'predefined' });
    expect(await names(ordered)).toEqual(['dir/2.jpg', 'dir/1.jpg', 'dir/sub/3.jpg']);
    await taskOf({ server_files: ['a.jpg'], copy_data: true });
  });

  it('stores exports and backups, and imports them', async () => {
    const id = await taskOf({ server_files: ['dir/'] });
    const labels = await owner.http.get(`/api/labels?task_id=${id}`);
    const label = (labels.body as { results: { id: number }[] }).results[0]?.id;
    const shapes = [{ label_id: label, type: 'rectangle', frame: 1, points: [1, 2, 3, 4] }];
    await owner.http.put(`/api/tasks/${id}/annotations`).send({ shapes }).expect(200);
    const asked = await askForExport(owner, `tasks/${id}`, { format: EXPORT, save_images: 'true', ...cloud('out/x.zip') });
    expect(await ended(app, owner, asked)).toMatchObject({ status: 'finished', message: '', result_url: null });
    expect((await emulator.get('out/x.zip')).subarray(0, 2).toString()).toBe('PK');
    await owner.http.delete(`/api/tasks/${id}/annotations`).expect(204);
    const back = await owner.http.post(`/api/tasks/${id}/annotations`).query({ format: IMPORT, ...cloud('out/x.zip') });
    expect(await ended(app, owner, back)).toMatchObject({ status: 'finished', message: '' });
    expect((await owner.http.get(`/api/tasks/${id}/annotations`)).body.shapes).toHaveLength(1);
    const kept = await owner.http.post(`/api/tasks/${id}/backup/export`).query(cloud('b.zip'));
    expect(await ended(app, owner, kept)).toMatchObject({ status: 'finished', message: '' });
    const restored = await owner.http.post('/api/tasks/backup').query(cloud('b.zip'));
    expect(await ended(app, owner, restored)).toMatchObject({ status: 'finished', message: '' });
    const gone = await owner.http.post('/api/tasks/backup').query(cloud('none.zip'));
    expect(await ended(app, owner, gone)).toMatchObject({ status: 'failed', message: expect.stringContaining('none.zip in the resource photos not found') });
  }); // prettier-ignore

  it('uploads large files in parts, and stops when it is told to', async () => {
    const { CloudBuckets } = await import('../../src/modules/cloudstorages/index.js');
    const { mkdtemp, rm, writeFile } = await import('node:fs/promises');
    const { bucket } = await app.app.get(CloudBuckets).find(app.db, storage);
    const folder = await mkdtemp(`${app.config.dataDir}/upload-`);
    const large = Buffer.alloc(3_000_000, 'cairn');
    await writeFile(`${folder}/large`, large);
    const progress: number[] = [];
    await bucket.upload('large', `${folder}/large`, { partBytes: 2 ** 20, onProgress: (part) => progress.push(part) });
    expect((await emulator.get('large')).equals(large)).toBe(true);
    expect(progress.at(-1)).toBe(1);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    await bucket.download('large', `${folder}/back`, 2 ** 30, new AbortController().signal);
    await expect(bucket.download('large', `${folder}/small`, 1000, new AbortController().signal)).rejects.toThrow('large is larger than 1000 bytes');
    await writeFile(`${folder}/nothing`, '');
    await bucket.upload('nothing', `${folder}/nothing`);
    expect(await bucket.read('nothing', { most: 10, first: 5 })).toEqual(Buffer.alloc(0));
    expect((await bucket.read('large', { most: 10, first: 5 })).subarray(0, 5).toString()).toBe('cairn');
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(bucket.upload('other', `${folder}/large`, { signal: stopped })).rejects.toThrow('stopped');
    expect(await bucket.has('other')).toBe(false);
    await rm(folder, { recursive: true });
  }); // prettier-ignore

  it('keeps credentials out of responses and the log', async () => {
    const answer = await owner.http.get(`/api/cloudstorages/${storage}`);
    expect(Object.keys(answer.body as object)).not.toContain('key_file');
    for (const secret of emulator.secrets) {
      expect(secret.length).toBeGreaterThan(4);
      expect(answer.text).not.toContain(secret);
      expect(log).not.toContain(secret);
    }
  });
}

describeWith(['fake-gcs-server'], 'Google Cloud Storage', () => tests(startGoogle));
describeWith(['azurite-blob'], 'Azure Blob Storage', () => {
  tests(startAzure);

  describe('without permission for private addresses', () => {
    it('does not connect to the server in a connection string', async () => {
      const app = await createTestApp({ env: { REMOTE_ALLOW_PRIVATE: 'false' } });
      const owner = await new Given(app).person();
      const strings = [
        `AccountName=a;AccountKey=${KEY};BlobEndpoint=http://127.0.0.1:9/a`,
        `AccountName=a;AccountKey=${KEY};BlobEndpoint=http://169.254.169.254/a`,
        'UseDevelopmentStorage=true',
        'UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://10.0.0.1',
      ];
      const texts: string[] = [];
      for (const connection_string of strings) {
        const storage = { provider_type: 'AZURE_CONTAINER', resource: BUCKET, display_name: 'x' };
        const answer = await owner.http
          .post('/api/cloudstorages')
          .send({ ...storage, credentials_type: 'CONNECTION_STRING', connection_string });
        texts.push(`${answer.status} ${answer.text}`);
      }
      await app.close();
      for (const text of texts) expect(text).toMatch(/^400 connection_string: .* refused/);
    });
  });
});
