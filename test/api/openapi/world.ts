import { DocumentWriter } from '../../../src/engines/quality/document.js';
import { randomUUID } from 'node:crypto';
import { ServerSecret } from '../../../src/core/secret.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { encodePassword } from '../../../src/engines/password/encoded-password.js';
import { Mailer, type Message } from '../../../src/core/mail/mailer.js';
import { makeMailedToken, toUid } from '../../../src/modules/auth/passwords/mailed-token.js';
import { RequestWorker } from '../../../src/modules/requests/index.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { CAR_DETECTOR, FunctionServer, ONE_CAR } from '../../support/function-server.js';
import { Given, type Person } from '../../support/given.js';
import { CAR, givenHeldRequest } from '../../support/given-functions.js';
import { givenPhotos, POOL } from '../../support/given-media.js';
import { storageBody } from '../../support/given-storage.js';
import { createObjectStore, type ObjectStore } from '../../support/object-store.js';
import { imageFile } from '../../support/images.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';

export const PASSWORD = 'Correct-horse-7';

let count = 0;

/** A unique name. */
export const fresh = (prefix: string): string => `${prefix}${(count += 1)}`;

const LABELS = [
  {
    name: 'car',
    attributes: [{ name: 'make', mutable: false, input_type: 'select', default_value: 'a', values: ['a', 'b'] }],
  },
  {
    name: 'person',
    type: 'skeleton',
    svg: '<circle data-label-name="head"></circle>',
    sublabels: [{ name: 'head', type: 'points', attributes: [] }],
  },
];

/** A function of each kind, and one that fails. */
async function givenFunctions(): Promise<FunctionServer> {
  const functions = await FunctionServer.start();
  functions.add(CAR_DETECTOR, () => ONE_CAR);
  functions.add({ id: 'broken', type: 'detector' }, () => ({ status: 500, text: 'secret' }));
  functions.add({ id: 'clicks', type: 'interactor' }, () => ({ mask: [[1]] }));
  functions.add({ id: 'follow', type: 'tracker', supported_shape_types: 'rectangle' }, ({ payload }) => ({
    shapes: payload['shapes'],
    states: [{}],
  }));
  functions.add({ id: 'same', type: 'reid' }, () => [0]);
  return functions;
}

/** One object of every type, all owned by an ordinary user, and ways to create more. */
export class World {
  readonly letters: Message[] = [];
  owner!: Person;
  admin!: Person;
  stranger!: Person;
  organization!: { id: number; slug: string };
  membershipId = 0;
  projectId = 0;
  taskId = 0;
  jobId = 0;
  groundTruthId = 0;
  labelId = 0;
  cloudStorageId = 0;
  functionId = 0;
  webhookId = 0;
  deliveryId = 0;

  private constructor(
    readonly app: TestApp,
    readonly given: Given,
    readonly receiver: Receiver,
    readonly store: ObjectStore,
    private readonly functions: FunctionServer,
  ) {}

  static async create(): Promise<World> {
    const functions = await givenFunctions();
    const app = await createTestApp({ env: { INSPECT_ENABLED: 'true', FUNCTIONS_URLS: functions.url } });
    const world = new World(app, new Given(app), await createReceiver(), await createObjectStore(), functions);
    app.app.get(Mailer).send = (letter) => void world.letters.push(letter);
    await world.fill();
    return world;
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.receiver.close();
    await this.store.close();
    await this.functions.close();
  }

  /** Creates an object as the owner; returns the body of the response. */
  async make(path: string, body: object, person: Person = this.owner): Promise<Record<string, never> & { id: number }> {
    const answer = await person.http.post(path).send(body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body as Record<string, never> & { id: number };
  }

  project = (): Promise<{ id: number }> => this.make('/api/projects', { name: 'another', labels: LABELS });
  task = (person = this.owner): Promise<{ id: number }> =>
    this.make('/api/tasks', { name: 'another', labels: LABELS }, person);
  cloudStorageBody = (): object => storageBody(this.store, 'photos');
  cloudStorage = (): Promise<{ id: number }> => this.make('/api/cloudstorages', this.cloudStorageBody());
  functionBody = (): object => ({ provider: 'native', name: 'Cars', kind: 'detector', labels_v2: [CAR] });
  function = (person = this.owner): Promise<{ id: number }> => this.make('/api/functions', this.functionBody(), person);
  issue = (): Promise<{ id: number }> =>
    this.make('/api/issues', { job: this.jobId, frame: 0, position: [1, 2], message: 'look' });
  webhook = (): Promise<{ id: number }> =>
    this.make('/api/webhooks', { ...this.webhookBody(), type: 'project', project_id: this.projectId });
  token = (person: Person): Promise<{ id: number; value: string }> =>
    this.make('/api/auth/access_tokens', { name: 'robot' }, person) as unknown as Promise<{
      id: number;
      value: string;
    }>;
  webhookBody = (): { target_url: string; events: string[] } => ({
    target_url: this.receiver.url,
    events: ['update:project'],
  });

  async comment(): Promise<{ id: number }> {
    return this.make('/api/comments', { issue: (await this.issue()).id, message: 'seen' });
  }

  async guide(): Promise<{ id: number }> {
    return this.make('/api/guides', { project_id: (await this.project()).id, markdown: '# how' });
  }

  async label(): Promise<number> {
    const { id } = await this.project();
    const answer = await this.owner.http.get(`/api/labels?project_id=${id}`);
    return (answer.body as { results: { id: number }[] }).results[0]?.id ?? 0;
  }

  /** A task with three images in three jobs. */
  async photos(): Promise<{ id: number; jobs: number[] }> {
    const { id } = await givenPhotos(this.app, this.owner, 3, { segment_size: 1 });
    return { id, jobs: await this.jobsOf(id) };
  }

  /** A task with a pool of two frames, and its jobs. */
  async pool(): Promise<{ id: number; jobs: number[] }> {
    const { id } = await givenPhotos(this.app, this.owner, 4, { segment_size: 1 }, POOL);
    return { id, jobs: await this.jobsOf(id) };
  }

  async qualitySettings(): Promise<number> {
    const { body } = await this.owner.http.get(`/api/quality/settings?task_id=${this.taskId}`);
    return (body as { results: { id: number }[] }).results[0]?.id ?? 0;
  }

  /** A report of the job, with a conflict. */
  async qualityReport(): Promise<number> {
    const numbers = { frame_count: 1, validation_frames: 1, total_frames: 1, conflict_count: 1, warning_count: 0, error_count: 1, valid_count: 1, ds_count: 1, gt_count: 1, total_count: 1, frame_share: 1, validation_frame_share: 1, accuracy: 1, precision: 1, recall: 1 }; // prettier-ignore
    const components = { valid_count: 1, missing_count: 1, extra_count: 0 };
    const requirement = { requirement_id: 1, name: 'Base', metric: 'accuracy', score: 1, score_components: components, calculation: { status: 'computed' }, threshold: 0.7 }; // prettier-ignore
    const requirements = { total: 1, enabled: 1, completed: 1, not_computed: 0, items: [requirement] };
    const summary = { ...numbers, conflicts_by_type: { missing_annotation: 1 }, requirements };
    const scores = { precision: [1, 0], recall: [0.5, 0], accuracy: [0.5, 0.5], jaccard_index: [0.5, 0] };
    const axes = { cols: 'gt', rows: 'ds' };
    const matrix = { labels: ['car', 'unmatched'], rows: [[1, 0], [1, 0]], axes, ...scores }; // prettier-ignore
    const writer = new DocumentWriter();
    await writer.member('parameters', {});
    await writer.member('comparison_summary', { annotations: { confusion_matrix: matrix } });
    const [row] = await this.app.db.query<{ id: number }>(sql`
      insert into quality_report (job_id, summary, document, created_date, target_last_updated)
      values (${this.jobId}, ${JSON.stringify(summary)}::jsonb, ${await writer.end()}, now(), now()) returning id`);
    const ids = JSON.stringify([{ obj_id: 1, job_id: this.jobId, type: 'tag', shape_type: null }]);
    await this.app.db.query(sql`
      insert into quality_conflict (report_id, frame, type, severity, annotation_ids)
      values (${row?.id ?? 0}, 0, 'missing_annotation', 'error', ${ids}::jsonb)`);
    return row?.id ?? 0;
  }

  /** The id of the settings of a task with replicas. */
  async consensusSettings(): Promise<number> {
    const { id } = await this.replicas();
    const [row] = await this.app.db.query<{ id: number }>(sql`select id from consensus_settings where task_id = ${id}`);
    return row?.id ?? 0;
  }

  /** A task with a job whose replicas are finished. */
  async replicas(): Promise<{ id: number; jobs: number[] }> {
    const { id } = await givenPhotos(this.app, this.owner, 1, { consensus_replicas: 2 });
    await this.app.db.query(
      sql`update job set state = 'completed' where task_id = ${id} and type = 'consensus_replica'`,
    );
    return { id, jobs: await this.jobsOf(id) };
  }

  /** The id of a task whose agreement is calculated. */
  async agreement(): Promise<number> {
    const { id } = await this.replicas();
    await this.owner.http.post(`/api/tasks/${id}/agreement`).expect(202);
    await this.app.app.get(RequestWorker).drain();
    return id;
  }

  /** A request for the whole task that an agent of this person holds, and the path of its queue. */
  async heldRequest(person: Person): Promise<{ queue: string; id: string }> {
    const { id: functionId } = await this.function();
    const { id: taskId } = await this.photos();
    const id = await givenHeldRequest(this.app, { functionId, taskId, requester: this.owner, agentUser: person });
    return { queue: `/api/functions/queues/function%3A${functionId}`, id };
  }

  async groundTruth(): Promise<{ id: number }> {
    return this.make('/api/jobs', this.groundTruthBody((await this.photos()).id));
  }

  groundTruthBody(task_id: number): object {
    return { task_id, type: 'ground_truth', frame_selection_method: 'manual', frames: [0] };
  }

  /** Creates a resumable upload and returns its path. */
  async upload(person: Person): Promise<string> {
    const task = await this.task(person);
    const answer = await person.http.post(`/api/tasks/${task.id}/data/`).set('Upload-Length', '4').set('Upload-Metadata', 'filename YS5qcGc='); // prettier-ignore
    return new URL(answer.headers['location'] ?? '').pathname;
  }

  /** The key of an invitation for an unused email address. */
  async invitation(email = `nobody-${randomUUID()}@example.org`): Promise<string> {
    const made = await this.make(`/api/invitations?org=${this.organization.slug}`, { role: 'worker', email });
    return made['key'] ?? '';
  }

  /** An invitation, and the header of the account that has registered with its address. */
  async invited(): Promise<{ key: string; headers: { Authorization: string } }> {
    const username = `guest-${randomUUID()}`;
    const email = `${username}@example.org`;
    const key = await this.invitation(email);
    const body = { username, email, password1: PASSWORD, password2: PASSWORD };
    const registered = await this.app.http.post('/api/auth/register').send(body);
    return { key, headers: { Authorization: `Token ${(registered.body as { key: string }).key}` } };
  }

  /** A small document as an asset of the guide. */
  assetForm(guideId: number): { body: Buffer; headers: { 'Content-Type': string } } {
    const field = `--x\r\nContent-Disposition: form-data; name="guide_id"\r\n\r\n${guideId}\r\n`;
    const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.4\r\n--x--\r\n';
    return { body: Buffer.from(field + file), headers: { 'Content-Type': 'multipart/form-data; boundary=x' } };
  }

  async asset(): Promise<string> {
    const { body, headers } = this.assetForm((await this.guide()).id);
    const answer = await this.owner.http.post('/api/assets').set(headers).send(body);
    return (answer.body as { uuid: string }).uuid;
  }

  /** An organization of the owner, and its other member. */
  async inheritable(): Promise<{ id: number; heir: number }> {
    const person = await this.given.person();
    const { id } = await this.given.organization(this.owner, [{ person, role: 'maintainer' }]);
    return { id, heir: person.id };
  }

  /** A membership that can be changed. */
  async membership(): Promise<number> {
    const person = await this.given.person();
    await this.app.db.query(sql`
      insert into membership (user_id, organization_id, is_active, joined_date, role)
      values (${person.id}, ${this.organization.id}, true, now(), 'worker')`);
    const [row] = await this.app.db.query<{ id: number }>(sql`select id from membership where user_id = ${person.id}`);
    return row?.id ?? 0;
  }

  /** An account with a known password. */
  async personWithPassword(): Promise<Person> {
    const person = await this.given.person();
    const encoded = await encodePassword(PASSWORD);
    await this.app.db.query(sql`update app_user set password = ${encoded} where id = ${person.id}`);
    return person;
  }

  /** The key of the link that confirms an email address. */
  async confirmationKey(): Promise<string> {
    const { id, username } = await this.given.person();
    const subject = { id, state: `${username}@example.org` };
    const secret = this.app.app.get(ServerSecret).keyFor('e-mail verification');
    return `${toUid(id)}-${makeMailedToken(secret, subject, this.app.clock.now())}`;
  }

  /** The query of the link that lets an account set a new password. */
  async resetLink(): Promise<{ uid: string; token: string }> {
    const person = await this.personWithPassword();
    await this.app.http.post('/api/auth/password/reset').send({ email: `${person.username}@example.org` });
    const query = new URL(this.letters.at(-1)?.path ?? '', 'http://h').searchParams;
    return { uid: query.get('uid') ?? '', token: query.get('token') ?? '' };
  }

  /** A queued request of this person. */
  async queuedRequest(person: Person): Promise<string> {
    const task = await this.task(person);
    const answer = await person.http.post(`/api/tasks/${task.id}/data`).field('image_quality', '70').attach('client_files[0]', Buffer.from('x'), 'a.jpg'); // prettier-ignore
    return (answer.body as { rq_id: string }).rq_id;
  }

  /** The id of a request that annotates a task of the owner. */
  async functionRequest(): Promise<string> {
    const body = { function: 'cars', task: (await this.photos()).id };
    return ((await this.owner.http.post('/api/lambda/requests').send(body)).body as { id: string }).id;
  }

  private async jobsOf(taskId: number): Promise<number[]> {
    const answer = await this.owner.http.get(`/api/jobs?task_id=${taskId}&sort=id`);
    return (answer.body as { results: { id: number }[] }).results.map(({ id }) => id);
  }

  private async fill(): Promise<void> {
    this.owner = await this.given.person();
    this.admin = await this.given.admin();
    this.stranger = await this.given.person();
    this.organization = await this.given.organization(this.owner);
    this.membershipId = await this.membership();
    this.projectId = (await this.project()).id;
    this.labelId = await this.label();
    this.store.buckets.set('photos', new Map([['a.jpg', await imageFile()]]));
    this.cloudStorageId = (await this.cloudStorage()).id;
    this.functionId = (await this.function()).id;
    await this.webhookWithDelivery();
    const photos = await givenPhotos(this.app, this.owner, 3, { segment_size: 1, project_id: this.projectId });
    this.taskId = photos.id;
    this.jobId = (await this.jobsOf(photos.id))[0] ?? 0;
    this.groundTruthId = (await this.make('/api/jobs', this.groundTruthBody(photos.id))).id;
    await this.task();
    await this.comment();
    await this.make('/api/guides', { task_id: (await this.task()).id, markdown: '# how' });
    await this.make('/api/guides', { project_id: this.projectId, markdown: '# how' });
    await this.owner.http.patch(`/api/jobs/${this.jobId}`).send({ assignee: this.owner.id });
    await this.annotate();
    await this.invitation();
    await this.token(this.owner);
  }

  private async webhookWithDelivery(): Promise<void> {
    this.webhookId = (await this.webhook()).id;
    await this.owner.http.patch(`/api/projects/${this.projectId}`).send({ name: 'seen' });
    await this.app.drain();
    await this.app.app.get(DeliveryWorker).runOnce();
    const answer = await this.owner.http.get(`/api/webhooks/${this.webhookId}/deliveries`);
    this.deliveryId = (answer.body as { results: { id: number }[] }).results[0]?.id ?? 0;
  }

  private async annotate(): Promise<void> {
    const answer = await this.owner.http.put(`/api/jobs/${this.jobId}/annotations`).send(await this.annotations());
    if (answer.status !== 200) throw new Error(answer.text);
  }

  /** Annotations of every type for the first job. */
  async annotations(): Promise<object> {
    const labels = await this.owner.http.get(`/api/labels?project_id=${this.projectId}&page_size=all`);
    const all = (labels.body as { results: { id: number; name: string; sublabels: { id: number }[]; attributes: { id: number }[] }[] }).results; // prettier-ignore
    const car = all.find(({ name }) => name === 'car');
    const person = all.find(({ name }) => name === 'person');
    const points = { type: 'points', frame: 0, points: [3, 4] };
    const attributes = [{ spec_id: car?.attributes[0]?.id, value: 'b' }];
    const rectangle = { type: 'rectangle', frame: 0, points: [1, 2, 3, 4] };
    return {
      tags: [{ label_id: car?.id, frame: 0, attributes }],
      shapes: [
        { ...rectangle, label_id: car?.id, attributes },
        { type: 'skeleton', frame: 0, label_id: person?.id, elements: [{ ...points, label_id: person?.sublabels[0]?.id }] },
      ],
      tracks: [
        { label_id: car?.id, frame: 0, attributes, shapes: [rectangle] },
        {
          label_id: person?.id,
          frame: 0,
          shapes: [{ type: 'skeleton', frame: 0 }],
          elements: [{ label_id: person?.sublabels[0]?.id, frame: 0, shapes: [points] }],
        },
      ],
      intervals: [{ label_id: car?.id, start: 0, stop: 1 }],
    }; // prettier-ignore
  }
}
