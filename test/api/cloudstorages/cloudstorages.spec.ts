import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenStorage, storageBody } from '../../support/given-storage.js';
import { createObjectStore, type ObjectStore, STORE_KEY } from '../../support/object-store.js';
import { imageFile } from '../../support/images.js';

describe('cloud storages', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let store: ObjectStore;
  let attributes: string;

  beforeAll(async () => {
    store = await createObjectStore();
    store.buckets.set('photos', new Map([['notes.txt', Buffer.from('x')]]));
    for (const key of ['a.jpg', 'dir/1.jpg', 'dir/2.png', 'dir/sub/3.jpg'])
      store.buckets.get('photos')?.set(key, await imageFile({ width: 600, height: 300 }));
    const manifest = ['{"version":"1.1"}', '{"type":"images"}', '{"name":"sub/3","extension":".jpg"}', '{"name":"2","extension":".png"}'];
    store.buckets.get('photos')?.set('dir/manifest.jsonl', Buffer.from(manifest.join('\n')));
    store.buckets.set('public', new Map());
    store.open.add('public');
    attributes = `endpoint_url=${encodeURIComponent(store.url)}`;
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
  }); // prettier-ignore
  afterAll(async () => {
    await app.close();
    await store.close();
  });

  const body = (more: object = {}): object => storageBody(store, 'photos', more);
  const made = (more: object = {}, person = owner, query: Readonly<Record<string, string>> = {}): Promise<number> =>
    givenStorage(person, body(more), query);

  it('are created, read, updated and deleted, and never return their credentials', async () => {
    const answer = await owner.http.post('/api/cloudstorages').send(body({ manifests: ['dir/manifest.jsonl'], description: 'd' }));
    expect([answer.status, Object.keys(answer.body)]).toEqual([
      201,
      ['id', 'owner', 'manifests', 'created_date', 'updated_date', 'provider_type', 'resource', 'display_name', 'credentials_type', 'specific_attributes', 'description', 'organization'],
    ]);
    const { id } = answer.body as { id: number };
    expect(answer.headers['location']).toMatch(new RegExp(`/api/cloudstorages/${id}$`));
    expect(answer.text).not.toContain('store-');
    expect((await owner.http.get(`/api/cloudstorages/${id}`)).body).toEqual(answer.body);
    const [row] = await app.db.query<{ credentials: string }>(sql`select credentials from cloud_storage where id = ${id}`);
    expect(row?.credentials).toMatch(/^sealed-v1:/);
    const changed = await owner.http.patch(`/api/cloudstorages/${id}`).send({ display_name: 'Other', manifests: [] });
    expect([changed.status, changed.body]).toEqual([200, expect.objectContaining({ display_name: 'Other', manifests: [], resource: 'photos' })]);
    expect((await owner.http.get(`/api/cloudstorages/${id}/status`)).body).toBe('AVAILABLE');
    await owner.http.delete(`/api/cloudstorages/${id}`).expect(204);
    const gone = await owner.http.get(`/api/cloudstorages/${id}`);
    expect([gone.status, gone.body]).toEqual([404, { detail: 'No CloudStorage matches the given query.' }]);
  }); // prettier-ignore

  it('are also created by forms', async () => {
    const request = owner.http.post('/api/cloudstorages');
    for (const [name, value] of Object.entries(body({ 'manifests[0]': 'dir/manifest.jsonl' })))
      void request.field(name, String(value));
    const answer = await request;
    expect([answer.status, answer.body.manifests]).toEqual([201, ['dir/manifest.jsonl']]);
  });

  it.each([
    [{ provider_type: 'GOOGLE_DRIVE' }, /^provider_type: GOOGLE_DRIVE is not supported, only AWS_S3_BUCKET/],
    [{ provider_type: 'FTP' }, /^provider_type: "FTP" is not a valid choice\.\n$/],
    [{ resource: 'Upper' }, /^resource: The name of a bucket/],
    [{ resource: 'nowhere' }, /^resource: The resource nowhere not found\. It may have been deleted\.\n$/],
    [{ key: 'wrong' }, /^resource: Access to the resource photos denied/],
    [{ credentials_type: 'ANONYMOUS_ACCESS' }, /^resource: Access to the resource photos denied/],
    [{ key: '' }, /^key: KEY_SECRET_KEY_PAIR needs key and secret_key\.\n$/],
    [{ credentials_type: 'CONNECTION_STRING' }, /^credentials_type: For AWS_S3_BUCKET/],
    [{ specific_attributes: 'a' }, /^specific_attributes: Each attribute has the form name=value/],
    [{ specific_attributes: 'endpoint_url=http://127.0.0.1:9' }, /^specific_attributes: http:\/\/127.0.0.1:9 cannot be reached/],
    [{ specific_attributes: 'endpoint_url=http://169.254.169.254' }, /refused: 169.254.169.254 is a cloud metadata address/],
    [{ manifests: ['no.jsonl'] }, /^manifests: There is no file no.jsonl in the resource photos\.\n$/],
    [{ manifests: ['a.jpg'] }, /^manifests: Names of manifests end with \.jsonl\.\n$/],
    [{ display_name: 'x'.repeat(64), resource: undefined }, /^resource: This field is required\.\ndisplay_name: Ensure this field has no more than 63 characters\.\n$|^display_name: Ensure.*\nresource: This field is required\.\n$/],
    [{ key: 'k'.repeat(41) }, /^key: Ensure this field has no more than 40 characters\.\n$/],
  ])('%j are rejected with lines of text', async (more, lines) => {
    const answer = await owner.http.post('/api/cloudstorages').send(body(more));
    expect([answer.status, answer.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
    expect(answer.text).toMatch(lines);
  }); // prettier-ignore

  it('reject updates as JSON, and do not send credentials to another server', async () => {
    const id = await made();
    const wrong = await owner.http.patch(`/api/cloudstorages/${id}`).send({ resource: 'nowhere' });
    expect([wrong.status, Object.keys(wrong.body as object)]).toEqual([400, ['resource']]);
    const other = await createObjectStore();
    other.buckets.set('photos', new Map());
    const moved = { specific_attributes: `endpoint_url=${encodeURIComponent(other.url)}` };
    const without = await owner.http.patch(`/api/cloudstorages/${id}`).send(moved);
    const asked = other.asked.length;
    const withKeys = await owner.http.patch(`/api/cloudstorages/${id}`).send({ ...moved, ...STORE_KEY });
    await other.close();
    expect([without.status, without.body, asked]).toEqual([400, { key: ['KEY_SECRET_KEY_PAIR needs key and secret_key.'] }, 0]);
    expect(withKeys.status).toBe(200);
  }); // prettier-ignore

  it('report their status and the allowed actions', async () => {
    const id = await made();
    const open = await made({ resource: 'public', credentials_type: 'ANONYMOUS_ACCESS', key: '', secret_key: '' });
    const actions = await owner.http.get(`/api/cloudstorages/${id}/actions`);
    expect([actions.headers['content-type'], actions.text]).toEqual(['text/plain', '["read","write"]']);
    expect((await owner.http.get(`/api/cloudstorages/${open}/actions`)).text).toBe('["read"]');
    store.open.delete('public');
    expect((await owner.http.get(`/api/cloudstorages/${open}/status`)).body).toBe('FORBIDDEN');
    store.buckets.delete('public');
    expect((await owner.http.get(`/api/cloudstorages/${open}/status`)).body).toBe('NOT_FOUND');
    const failed = await owner.http.get(`/api/cloudstorages/${open}/actions`);
    expect([failed.status, failed.text]).toEqual([400, 'The resource public not found. It may have been deleted.']);
    const preview = await owner.http.get(`/api/cloudstorages/${open}/preview`);
    expect([preview.status, preview.body]).toEqual([404, 'The resource public not found. It may have been deleted.']);
  });

  const content = async (id: number, query = ''): Promise<{ next: string | null; names: string[] }> => {
    const { body: page } = await owner.http.get(`/api/cloudstorages/${id}/content-v2${query}`).expect(200);
    const { next, content: entries } = page as { next: string | null; content: { name: string; type: string }[] };
    return { next, names: entries.map(({ name, type }) => (type === 'DIR' ? `${name}/` : name)) };
  };

  it('list their content, in full and in pages, from the bucket and from a manifest', async () => {
    const id = await made({ manifests: ['dir/manifest.jsonl'] });
    expect(await content(id)).toEqual({ next: null, names: ['dir/', 'a.jpg', 'notes.txt'] });
    expect(await content(id, '?prefix=dir/')).toEqual({ next: null, names: ['sub/', '1.jpg', '2.png', 'manifest.jsonl'] });
    expect(await content(id, '?prefix=/dir/sub/')).toEqual({ next: null, names: ['3.jpg'] });
    expect((await content(id, '?prefix=/')).names).toEqual(['dir/', 'a.jpg', 'notes.txt']);
    const first = await content(id, '?page_size=1');
    expect(first.names).toEqual(['a.jpg']);
    expect((await content(id, `?page_size=1&next_token=${first.next}`)).names).toEqual(['dir/']);
    const manifest = '?manifest_path=dir/manifest.jsonl';
    expect(await content(id, manifest)).toEqual({ next: null, names: ['dir/'] });
    expect(await content(id, `${manifest}&prefix=dir/`)).toEqual({ next: null, names: ['sub/', '2.png'] });
    expect(await content(id, `${manifest}&prefix=dir/&page_size=1`)).toEqual({ next: '1', names: ['sub/'] });
    const info = await owner.http.get(`/api/cloudstorages/${id}/content-v2?prefix=dir/&page_size=2`);
    expect(info.body.content[0]).toEqual({ name: '1.jpg', type: 'REG', mime_type: 'image' });
    const missing = await owner.http.get(`/api/cloudstorages/${id}/content-v2?manifest_path=no.jsonl`);
    expect([missing.status, missing.body]).toEqual([404, 'no.jsonl in the resource photos not found. It may have been deleted.']);
    await owner.http.get(`/api/cloudstorages/${id}/content-v2?page_size=x`).expect(400);
  }); // prettier-ignore

  it('do not list a folder of a manifest with too many others in it', async () => {
    const images = Array.from({ length: 100_001 }, (_, at) => `{"name":"${at}/a","extension":".jpg"}`);
    const manifest = ['{"version":"1.1"}', '{"type":"images"}', ...images].join('\n');
    store.buckets.get('photos')?.set('many/manifest.jsonl', Buffer.from(manifest));
    const id = await made({ manifests: ['many/manifest.jsonl'] });
    const path = `/api/cloudstorages/${id}/content-v2?manifest_path=many/manifest.jsonl`;
    const all = await owner.http.get(`${path}&prefix=many/`);
    expect([all.status, all.body]).toEqual([
      400,
      'many/manifest.jsonl lists too much in this folder. Enter the prefix of what you look for.',
    ]);
    expect((await content(id, '?manifest_path=many/manifest.jsonl&prefix=many/77/')).names).toEqual(['a.jpg']);
    store.buckets.get('photos')?.delete('many/manifest.jsonl');
  });

  it('with a prefix list nothing else', async () => {
    const id = await made({ specific_attributes: `${attributes}&prefix=dir/sub/` });
    expect(await content(id)).toEqual({ next: null, names: ['3.jpg'] });
    expect(await content(id, '?prefix=')).toEqual({ next: null, names: ['3.jpg'] });
    expect(await content(id, '?prefix=d')).toEqual({ next: null, names: ['dir/'] });
    expect(await content(id, '?prefix=dir/')).toEqual({ next: null, names: ['sub/'] });
    expect(await content(id, '?prefix=dir/sub/')).toEqual({ next: null, names: ['3.jpg'] });
    expect(await content(id, '?prefix=other/')).toEqual({ next: null, names: [] });
    expect(await content(id, '?prefix=dir/s')).toEqual({ next: null, names: ['sub/'] });
    expect(await content(id, '?prefix=di')).toEqual({ next: null, names: ['dir/'] });
    const halfName = await made({ specific_attributes: `${attributes}&prefix=dir/su` });
    expect(await content(halfName)).toEqual({ next: null, names: ['sub/'] });
    expect(await content(halfName, '?prefix=dir/')).toEqual({ next: null, names: ['sub/'] });
  });

  it('can be searched by a name prefix, and return whole names', async () => {
    const id = await made({ manifests: ['dir/manifest.jsonl'] });
    expect(await content(id, '?prefix=no')).toEqual({ next: null, names: ['notes.txt'] });
    expect(await content(id, '?prefix=dir/su')).toEqual({ next: null, names: ['sub/'] });
    expect(await content(id, '?prefix=dir/m')).toEqual({ next: null, names: ['manifest.jsonl'] });
    const manifest = '?manifest_path=dir/manifest.jsonl';
    expect(await content(id, `${manifest}&prefix=di`)).toEqual({ next: null, names: ['dir/'] });
    expect(await content(id, `${manifest}&prefix=dir/su`)).toEqual({ next: null, names: ['sub/'] });
  });

  it('with a prefix list nothing else of a manifest, and no manifest from outside except their own', async () => {
    const own = await made({ specific_attributes: `${attributes}&prefix=dir/sub/`, manifests: ['dir/manifest.jsonl'] });
    const manifest = '?manifest_path=dir/manifest.jsonl';
    expect(await content(own, manifest)).toEqual({ next: null, names: ['3.jpg'] });
    expect(await content(own, `${manifest}&prefix=d`)).toEqual({ next: null, names: ['dir/'] });
    expect(await content(own, `${manifest}&prefix=dir/`)).toEqual({ next: null, names: ['sub/'] });
    expect(await content(own, `${manifest}&prefix=dir/sub/`)).toEqual({ next: null, names: ['3.jpg'] });
    await owner.http.get(`/api/cloudstorages/${own}/preview`).expect(200);
    const other = await made({ specific_attributes: `${attributes}&prefix=dir/sub/` });
    const refused = await owner.http.get(`/api/cloudstorages/${other}/content-v2${manifest}`);
    expect([refused.status, refused.body]).toEqual([
      400,
      'dir/manifest.jsonl is outside the prefix of the cloud storage',
    ]);
  });

  it('have their first image as preview', async () => {
    const preview = await owner.http.get(`/api/cloudstorages/${await made()}/preview`);
    expect([preview.status, preview.headers['content-type']]).toEqual([200, 'image/jpeg']);
  });

  it('are visible to users with permission', async () => {
    const [maintainer, supervisor, worker, stranger] = await Promise.all([1, 2, 3, 4].map(() => given.person()));
    if (!maintainer || !supervisor || !worker || !stranger) throw new Error('nobody');
    const organization = await given.organization(owner, [
      { person: maintainer, role: 'maintainer' },
      { person: supervisor, role: 'supervisor' },
      { person: worker, role: 'worker' },
    ]);
    const query = `?org=${organization.slug}`;
    const id = await made({ display_name: 'shared' }, maintainer, { org: organization.slug });
    await supervisor.http.post(`/api/cloudstorages${query}`).send(body()).expect(403);
    const seen = async (person: Person): Promise<number> => (await person.http.get(`/api/cloudstorages/${id}`)).status;
    expect(await Promise.all([maintainer, supervisor, worker, stranger, owner].map(seen))).toEqual([200, 200, 403, 403, 200]);
    await supervisor.http.patch(`/api/cloudstorages/${id}`).send({ description: 'x' }).expect(403);
    await supervisor.http.delete(`/api/cloudstorages/${id}`).expect(403);
    const count = async (person: Person, more = ''): Promise<number> =>
      (await person.http.get(`/api/cloudstorages${query}${more}`)).body.count;
    expect(await Promise.all([supervisor, worker].map((person) => count(person)))).toEqual([1, 0]);
    expect(await count(supervisor, '&provider_type=AWS_S3_BUCKET&name=shared&credentials_type=KEY_SECRET_KEY_PAIR')).toBe(1);
    expect(await count(supervisor, '&name=other')).toBe(0);
    const bad = await owner.http.get('/api/cloudstorages?provider_type=FTP');
    expect([bad.status, bad.body]).toEqual([400, ['Unsupported type of cloud provider']]);
    await app.http.get('/api/cloudstorages').expect(401);
  }); // prettier-ignore

  it('can be referenced by projects and tasks of users who see them, until they are deleted', async () => {
    const id = await made();
    const storage = { location: 'cloud_storage', cloud_storage_id: id };
    const project = await owner.http.post('/api/projects').send({ name: 'p', source_storage: storage, target_storage: storage });
    expect([project.status, project.body.target_storage]).toEqual([201, { id: expect.any(Number), ...storage }]);
    const stranger = await given.person();
    await stranger.http.post('/api/projects').send({ name: 'p', source_storage: storage }).expect(403);
    const unknown = await owner.http.post('/api/tasks').send({ name: 't', labels: [{ name: 'car' }], target_storage: { ...storage, cloud_storage_id: 999999 } });
    expect([unknown.status, unknown.body]).toEqual([400, ['CloudStorage matching query does not exist.']]);
    const task = await owner.http.post('/api/tasks').send({ name: 't', labels: [{ name: 'car' }] });
    const changed = await owner.http.patch(`/api/tasks/${task.body.id}`).send({ target_storage: storage });
    expect(changed.body.target_storage).toMatchObject(storage);
    await owner.http.delete(`/api/cloudstorages/${id}`).expect(204);
    const after = await owner.http.get(`/api/tasks/${task.body.id}`);
    expect(after.body.target_storage).toBeNull();
  }); // prettier-ignore
});
