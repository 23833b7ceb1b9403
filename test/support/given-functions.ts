import { randomUUID } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { Actors } from '../../src/core/access/actors.js';
import { UnitOfWork } from '../../src/core/database/unit-of-work.js';
import { sql } from '../../src/engines/sql/sql.js';
import type { RequestParams } from '../../src/engines/functions/request-params.js';
import { AnnotationRequests, type AskedAnnotation } from '../../src/modules/functions/index.js';
import type { Actor } from '../../src/shared/policy/actor.js';
import type { TestApp } from './app.js';
import type { Person } from './given.js';

/** The id of an agent. */
export const AGENT = '0123456789abcdef0123456789abcdef';

/** A label that functions of tests declare. */
export const CAR = { name: 'car', type: 'rectangle', attributes: [] };

/** Parameters for a whole task. */
export const WHOLE_TASK: RequestParams = {
  type: 'annotate_task',
  mapping: { car: { name: 'car', attributes: {}, sublabels: {} } },
  threshold: null,
  conv_mask_to_poly: false,
};

/** Registers a function. */
export async function givenFunction(
  owner: Person,
  body: object = { kind: 'detector', labels_v2: [CAR] },
): Promise<number> {
  const created = await owner.http.post('/api/functions').send({ provider: 'native', name: 'Function', ...body });
  if (created.status !== 201) throw new Error(`no function: ${JSON.stringify(created.body)}`);
  return (created.body as { id: number }).id;
}

interface Held {
  readonly functionId: number;
  readonly taskId: number;
  readonly requester: Person;
  readonly agentUser: Person;
}

/** Inserts a request for a whole task that the agent holds. @returns its id */
export async function givenHeldRequest(app: TestApp, held: Held): Promise<string> {
  const id = randomUUID();
  await app.app.get(UnitOfWork).run(async (tx) => {
    await tx.query(sql`
      insert into annotation_request (id, function_id, category, type, status, task_id, params, owner_id, agent_id,
        agent_user_id, handovers, lease_end, created_date, started_date)
      values (${id}::uuid, ${held.functionId}, 'batch', 'annotate_task', 'started', ${held.taskId},
        ${JSON.stringify(WHOLE_TASK)}::jsonb, ${held.requester.id}, ${AGENT}, ${held.agentUser.id}, 1,
        ${new Date(tx.now.getTime() + 600_000)}, ${tx.now}, ${tx.now})`);
  });
  return id;
}

/** The actor behind a person's requests. */
export async function actorOf(app: TestApp, person: Person): Promise<Actor> {
  const actor = await app.app.get(Actors).load(app.db, person.id, app.url);
  if (actor === null) throw new Error(`${person.username} has no account`);
  return actor;
}

/** Puts a request into the queue of a function. @returns its id */
export async function givenRequest(app: TestApp, requester: Person, asked: AskedAnnotation): Promise<string> {
  const actor = await actorOf(app, requester);
  return app.app.get(UnitOfWork).run((tx) => app.app.get(AnnotationRequests).create(tx, actor, asked));
}

/** What an agent gets. */
export interface Assignment {
  readonly ar_id: string;
  readonly ar_params: Readonly<Record<string, unknown>>;
}

/** An agent of a function, as a client of the server. */
export class TestAgent {
  constructor(
    readonly person: Person,
    private readonly functionId: number,
    readonly id = AGENT,
    private readonly cookie = '',
  ) {}

  private post(path: string, body: object) {
    return this.person.http
      .post(`/api/functions/queues/function%3A${this.functionId}/requests/${path}`)
      .set(this.cookie === '' ? {} : { Cookie: this.cookie })
      .send({ agent_id: this.id, ...body });
  }

  async acquire(category: 'batch' | 'interactive' = 'batch'): Promise<Assignment | null> {
    const { body } = await this.post('acquire', { request_category: category }).expect(200);
    return (body as { ar_assignment: Assignment | null }).ar_assignment;
  }

  update = (id: string, progress: number) => this.post(`${id}/update`, { progress });
  complete = (id: string, results: object) => this.post(`${id}/complete`, results);
  fail = (id: string, text: string) => this.post(`${id}/fail`, { exc_info: text });
}

/** The stream of an agent. */
export class AgentStream {
  text = '';
  readonly ended: Promise<void>;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly response: IncomingMessage) {
    response.setEncoding('utf8').on('data', (text: string) => {
      this.text += text;
      for (const done of this.waiting) done();
    });
    this.ended = new Promise((done) => response.once('close', done).on('error', () => undefined));
  }

  /** Resolves when the text has been received, and forgets what came before its end. */
  async until(text: string): Promise<void> {
    while (!this.text.includes(text)) await new Promise<void>((done) => this.waiting.add(done));
    this.text = this.text.slice(this.text.indexOf(text) + text.length);
  }

  close(): void {
    this.response.destroy();
  }
}

/** Opens the stream of an agent. @throws Error with the status of any other response */
export const openStream = (url: string, person: Person, functionId: number, cookie?: string): Promise<AgentStream> =>
  new Promise((resolve, reject) => {
    const headers = { Authorization: `Token ${person.token}`, ...(cookie === undefined ? {} : { Cookie: cookie }) };
    get(`${url}/api/functions/queues/function%3A${functionId}/watch`, { headers }, (response) => {
      if (response.statusCode === 200) return resolve(new AgentStream(response));
      response.destroy();
      reject(new Error(String(response.statusCode)));
    }).on('error', reject);
  });
