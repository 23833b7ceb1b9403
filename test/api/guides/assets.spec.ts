import { randomUUID } from 'node:crypto';
import { readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { sql } from '../../../src/engines/sql/sql.js';
import { AssetCleaner } from '../../../src/modules/guides/asset-files.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';
import { givenJobs } from '../../support/given-jobs.js';
import { imageFile } from '../../support/images.js';

const PDF = Buffer.from('%PDF-1.4\n%%EOF\n');

describe('assets of guides', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let stranger: Person;
  let photo: Buffer;
  let guideId: number;
  let projectId: number;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
    stranger = await given.person();
    photo = await imageFile();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    projectId = await project();
    guideId = (await owner.http.post('/api/guides').send({ project_id: projectId })).body.id;
  });

  const project = async (person = owner): Promise<number> =>
    (await person.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'car' }] })).body.id;

  const send = (content: Buffer, name = 'a.jpg', guide: unknown = guideId, person = owner) =>
    person.http.post('/api/assets').field('guide_id', String(guide)).attach('file', content, name);

  const made = async (guide = guideId, person = owner): Promise<string> =>
    (await send(photo, 'a.jpg', guide, person).expect(201)).body.uuid as string;

  const link = (uuid: string): string => `![](/api/assets/${uuid})`;
  const assetsIn = (text: string): string[] => text.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [];
  const write = (markdown: string, guide = guideId, person = owner) =>
    person.http.patch(`/api/guides/${guide}`).send({ markdown });
  const statusOf = async (uuid: string, http = owner.http): Promise<number> =>
    (await http.get(`/api/assets/${uuid}`)).status;
  const folder = (): string => join(app.config.dataDir, 'assets');
  /** Removals after a commit are not waited for by the request. */
  const removed = async (uuid: string): Promise<void> => {
    while ((await readdir(folder())).includes(uuid)) await new Promise(setImmediate);
  };

  it('are stored as they are and read as a file', async () => {
    const answer = await send(photo, 'Fünf.jpg');
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.body)).toEqual(['uuid', 'filename', 'created_date', 'owner', 'guide_id']);
    expect(answer.body).toMatchObject({ filename: 'Fünf.jpg', guide_id: guideId, owner: { id: owner.id } });
    const file = await owner.http.get(`/api/assets/${answer.body.uuid}`).buffer();
    expect([file.status, file.get('Content-Type')]).toEqual([200, 'image/jpeg']);
    expect(file.get('Content-Disposition')).toBe(`inline; filename="F_nf.jpg"; filename*=UTF-8''F%C3%BCnf.jpg`);
    expect(file.get('X-Content-Type-Options')).toBe('nosniff');
    expect(file.get('Content-Security-Policy')).toBe("default-src 'none'; sandbox");
    expect((file.body as Buffer).equals(photo)).toBe(true);
  });

  it('have the type of their content, whatever their name and headers say', async () => {
    const png = await imageFile({ format: 'png' });
    const sent = owner.http.post('/api/assets').field('guide_id', guideId);
    const answer = await sent.attach('file', png, { filename: 'page.html', contentType: 'text/html' });
    expect((await owner.http.get(`/api/assets/${answer.body.uuid}`)).get('Content-Type')).toBe('image/png');
    const document = await send(PDF, 'a.pdf');
    expect((await owner.http.get(`/api/assets/${document.body.uuid}`)).get('Content-Type')).toBe('application/pdf');
  });

  it('are scaled down if they are larger than a screen', async () => {
    const { body } = await send(await imageFile({ width: 2400, height: 1200, format: 'png' }), 'a.png');
    const file = await owner.http.get(`/api/assets/${body.uuid}`).buffer();
    expect(await sharp(file.body as Buffer).metadata()).toMatchObject({ format: 'png', width: 1920, height: 960 });
  });

  it('refuses files that are neither images nor documents, or too large', async () => {
    const errorOf = async (request: ReturnType<typeof send>): Promise<unknown> => {
      const answer = await request;
      return [answer.status, answer.body];
    };
    const unknown = {
      file: ['This file type is not supported. Upload a JPEG, PNG, WebP or GIF image, or a PDF document.'],
    };
    expect(await errorOf(send(Buffer.from('<svg/>'), 'a.png'))).toEqual([400, unknown]);
    expect(await errorOf(send(photo.subarray(0, 20)))).toEqual([400, { file: ['The image is damaged or too large.'] }]);
    expect(await errorOf(send(Buffer.alloc(10 * 2 ** 20 + 1, '%PDF-'), 'a.pdf'))).toEqual([
      400,
      { file: ['Maximum size of asset is 10 MB'] },
    ]);
    expect((await send(Buffer.alloc(10 * 2 ** 20, '%PDF-'), 'a.pdf')).status).toBe(201);
    const none = await owner.http.post('/api/assets').field('guide_id', guideId);
    expect([none.status, none.body]).toEqual([400, { file: ['No file was submitted.'] }]);
  });

  it('refuses bodies that are not forms, and malformed forms', async () => {
    const json = await owner.http.post('/api/assets').send({ guide_id: guideId });
    expect([json.status, json.body]).toEqual([
      415,
      { detail: 'Unsupported media type "application/json" in request.' },
    ]);
    const type = 'multipart/form-data; boundary=x';
    const cut = await owner.http.post('/api/assets').set('Content-Type', type).send('--x\r\nContent-Disp');
    expect([cut.status, cut.body]).toEqual([400, { detail: 'Multipart form parse error - Unexpected end of form' }]);
    expect((await owner.http.post('/api/assets').set('Content-Type', 'multipart/form-data').send('x')).status).toBe(
      400,
    );
  });

  it('need the permission to write the guide', async () => {
    const unknown = [400, ['AnnotationGuide matching query does not exist.']];
    for (const guide of ['', 'x', 999_999, '99999999999']) {
      const answer = await send(photo, 'a.jpg', guide);
      expect([answer.status, answer.body]).toEqual(unknown);
    }
    expect((await send(photo, 'a.jpg', guideId, stranger)).status).toBe(403);
    const anonymous = app.http.post('/api/assets').field('guide_id', guideId).attach('file', photo, 'a.jpg');
    expect((await anonymous).status).toBe(401);
  });

  it('are limited to thirty for each guide', async () => {
    await app.db.query(sql`
      insert into asset (uuid, filename, guide_id, created_date)
      select gen_random_uuid(), 'a', ${guideId}, now() from generate_series(1, 29)`);
    const answers = await Promise.all([send(photo), send(photo)]);
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([201, 400]);
    const more = await send(photo);
    expect([more.status, more.body]).toEqual([400, { file: ['A guide can have at most 30 assets.'] }]);
  });

  it('are readable by those who can read the guide, and by everyone if it is public', async () => {
    const annotator = await given.person();
    const task = await givenJobs(app, owner, { projectId });
    await app.db.query(sql`update job set assignee_id = ${annotator.id} where id = ${task.jobs[0]}`);
    const uuid = await made();
    const statuses = async (): Promise<number[]> => [
      await statusOf(uuid), await statusOf(uuid, annotator.http), await statusOf(uuid, stranger.http),
      await statusOf(uuid, app.http), await statusOf(randomUUID(), app.http),
    ]; // prettier-ignore
    expect(await statuses()).toEqual([200, 200, 403, 401, 401]);
    expect((await annotator.http.delete(`/api/assets/${uuid}`)).status).toBe(403);
    await app.db.query(sql`update guide set is_public = true where id = ${guideId}`);
    expect(await statuses()).toEqual([200, 200, 200, 200, 401]);
  });

  it('return errors for unknown and malformed ids', async () => {
    const unknown = await owner.http.get(`/api/assets/${randomUUID()}`);
    expect([unknown.status, unknown.body]).toEqual([404, { detail: 'No Asset matches the given query.' }]);
    const wrong = await owner.http.get('/api/assets/7');
    expect([wrong.status, wrong.body]).toEqual([404, { detail: 'Not found.' }]);
    expect((await owner.http.delete(`/api/assets/${randomUUID()}`)).status).toBe(404);
    const uuid = await made();
    await rm(join(folder(), uuid), { recursive: true });
    expect((await owner.http.get(`/api/assets/${uuid}`)).body).toEqual({
      detail: 'The file of this asset is missing.',
    });
  });

  it('are deleted with their file, without an event', async () => {
    const uuid = await made();
    await app.db.query(sql`delete from outbox_event`);
    expect((await owner.http.delete(`/api/assets/${uuid}`)).status).toBe(204);
    expect(await statusOf(uuid)).toBe(404);
    await removed(uuid);
    expect(await recordedEvents(app)).toEqual([]);
  });

  it('are deleted when the guide no longer refers to them', async () => {
    const [kept, dropped] = [await made(), await made()];
    await owner.http.patch(`/api/guides/${guideId}`).send({ project_id: projectId }); // says nothing of the text
    expect(await statusOf(dropped)).toBe(200);
    const answer = await write(`see ${link(kept)}`);
    expect([answer.status, answer.body.markdown]).toEqual([200, `see ${link(kept)}`]);
    expect([await statusOf(kept), await statusOf(dropped)]).toEqual([200, 404]);
    await removed(dropped);
  });

  it('are deleted with their guide, project or task', async () => {
    const first = await made();
    await owner.http.delete(`/api/guides/${guideId}`);
    await removed(first);
    const guide = await owner.http.post('/api/guides').send({ project_id: projectId });
    const task = await givenJobs(app, owner, { projectId });
    const ofTask = await owner.http.post('/api/guides').send({ task_id: task.id });
    const [second, third] = [await made(guide.body.id), await made(ofTask.body.id)];
    expect((await owner.http.delete(`/api/projects/${projectId}`)).status).toBe(204);
    await removed(second);
    await removed(third);
  });

  it('of other guides are copied, so that the originals can be deleted', async () => {
    const source = await made();
    const other = await owner.http.post('/api/guides').send({ project_id: await project(), markdown: link(source) });
    const [copy = ''] = assetsIn(other.body.markdown);
    expect(copy).not.toBe(source);
    await owner.http.delete(`/api/projects/${projectId}`);
    await removed(source);
    const file = await owner.http.get(`/api/assets/${copy}`).buffer();
    expect((file.body as Buffer).equals(photo)).toBe(true);
    const again = await write(other.body.markdown, other.body.id);
    expect(again.body.markdown).toBe(other.body.markdown);
  });

  it('of others are copied only if the writer can see them', async () => {
    const source = await made();
    const theirs = await stranger.http.post('/api/guides').send({ project_id: await project(stranger) });
    const text = `${link(source)} ${link(randomUUID())}`;
    expect((await write(text, theirs.body.id, stranger)).body.markdown).toBe(text);
    await app.db.query(sql`update guide set is_public = true where id = ${guideId}`);
    const copied = await write(text, theirs.body.id, stranger);
    expect(assetsIn(copied.body.markdown)[0]).not.toBe(source);
    expect(await statusOf(assetsIn(copied.body.markdown)[0] ?? '', stranger.http)).toBe(200);
  });

  it('are not copied beyond the limit', async () => {
    const rows = await app.db.query<{ uuid: string }>(sql`
      insert into asset (uuid, filename, guide_id, created_date)
      select gen_random_uuid(), 'a', ${guideId}, now() from generate_series(1, 31) returning uuid`);
    const guide = await owner.http.post('/api/guides').send({ project_id: await project() });
    const answer = await write(rows.map((row) => link(row.uuid)).join(' '), guide.body.id);
    expect([answer.status, answer.body]).toEqual([400, { markdown: ['A guide can have at most 30 assets.'] }]);
  });

  it('that a crash has left are found and removed', async () => {
    const uuid = await made();
    await app.db.query(sql`delete from asset where uuid = ${uuid}`);
    const [young, kept] = [await made(), await made()];
    await app.db.query(sql`delete from asset where uuid = ${young}`);
    const old = new Date(Date.now() - 2 * 3_600_000);
    for (const name of [uuid, kept]) await utimes(join(folder(), name, 'file'), old, old);
    await app.app.get(AssetCleaner).tidy();
    const names = await readdir(folder());
    expect([uuid, young, kept].map((name) => names.includes(name))).toEqual([false, true, true]);
  });
});
