import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { UnitOfWork } from '../../../src/core/database/unit-of-work.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { TestAgent } from '../../support/given-functions.js';
import { givenPhotos } from '../../support/given-media.js';
import { describeRecorded, recordedJson } from '../../support/recorded-quality.js';

type Json = Readonly<Record<string, unknown>>;

interface Exchange {
  readonly request?: { readonly method: string; readonly path: string; readonly body?: Json };
  readonly response?: { readonly status: number; readonly body?: Json };
}

interface Recorded {
  readonly scenarios: readonly { readonly scenario: string; readonly exchanges: readonly Exchange[] }[];
}

interface RecordedLabel {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly attributes: readonly { readonly id: number }[];
  readonly sublabels?: readonly RecordedLabel[];
}

interface RecordedAssignment {
  readonly ar_id: string;
  readonly ar_params: Json & { readonly type: string; readonly task: number };
}

const FILES = [
  'create-and-delete',
  'agent-detector',
  'agent-interactor',
  'agent-tracker',
  'agent-progress',
  'agent-video',
  'agent-failures',
  'client-2.42',
];
const TYPES = new Set(['annotate_task', 'annotate_frame', 'init_tracking', 'track', 'interact']);

/** Answers that the stand-in gave for a purpose, and requests that the server does not accept in the first place. */
const isInjected = ({ response }: Exchange): boolean => response?.body?.['detail'] === 'injected';

describeRecorded('requests of agents of the official client', () => {
  let app: TestApp;
  let admin: Person;
  let taskId: number;
  /** Ids of the recorded labels and attributes -> those of the task. */
  const labelIds = new Map<number, number>();
  const specIds = new Map<number, number>();
  /** Recorded functions -> ours. */
  const functionIds = new Map<number, number>();

  beforeAll(async () => {
    app = await createTestApp();
    admin = await new Given(app).admin();
    const recorded = recordedLabels();
    const labels = recorded.map((label) => ({
      ...label,
      id: undefined,
      ...(label.type === 'skeleton' ? { svg: '<circle data-label-name="head"></circle>' } : {}),
    }));
    taskId = (await givenPhotos(app, admin, 5, { labels })).id;
    const { body } = await admin.http.get(`/api/labels?task_id=${taskId}&page_size=all`);
    remember(recorded, (body as { results: RecordedLabel[] }).results);
  });
  afterAll(() => app.close());

  function remember(recorded: readonly RecordedLabel[], own: readonly RecordedLabel[]): void {
    for (const label of recorded) {
      const match = own.find(({ name }) => name === label.name);
      labelIds.set(label.id, match?.id ?? 0);
      label.attributes.forEach(({ id }, index) => specIds.set(id, match?.attributes[index]?.id ?? 0));
      remember(label.sublabels ?? [], match?.sublabels ?? []);
    }
  }

  /** Puts a request with a recorded id into the queue. */
  const enqueue = (functionId: number, { ar_id: id, ar_params: params }: RecordedAssignment, category: string) =>
    app.app.get(UnitOfWork).run(async (tx) => {
      const { task: _, ...rest } = params;
      const deadline = category === 'batch' ? null : new Date(tx.now.getTime() + 60_000);
      await tx.query(sql`
        insert into annotation_request (id, function_id, category, type, task_id, params, owner_id, lease_end, created_date)
        values (${id}::uuid, ${functionId}, ${category}, ${params.type}, ${taskId},
          ${JSON.stringify(inFrame(rest))}::jsonb, ${admin.id}, ${deadline}, ${tx.now})`);
    });

  const withOwnIds = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withOwnIds);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, part]): [string, unknown] => {
      if (key === 'label_id') return [key, labelIds.get(part as number)];
      if (key === 'spec_id') return [key, specIds.get(part as number) ?? part];
      return [key, withOwnIds(part)];
    });
    return Object.fromEntries(entries);
  };

  it.each(FILES)('get the recorded responses: %s', async (file) => {
    const { scenarios } = recordedJson(`functions/${file}.json`) as Recorded;
    let count = 0;
    for (const { scenario, exchanges } of scenarios) {
      const skipped = new Set<string>();
      for (const exchange of exchanges) {
        if (await replay(exchange, skipped, scenario)) count += 1;
      }
    }
    expect(count).toBeGreaterThan(0);
  });

  async function replay(exchange: Exchange, skipped: Set<string>, scenario: string): Promise<boolean> {
    const { request, response } = exchange;
    if (request === undefined || response === undefined || isInjected(exchange)) return false;
    if (request.method === 'POST' && request.path === '/api/functions') {
      const { body, status } = await admin.http.post('/api/functions').send(request.body);
      expect({ scenario, status }).toEqual({ scenario, status: response.status });
      if (status !== 201) return true;
      const { id } = response.body as { readonly id: number };
      functionIds.set(id, (body as { id: number }).id);
      expect(comparable(body as Json)).toEqual({ ...NEWER, ...comparable(response.body ?? {}) });
      return true;
    }
    const [, recordedId = '', path = ''] =
      /^\/api\/functions\/queues\/function%3A(\d+)\/requests\/(.+)$/.exec(request.path) ?? [];
    if (path === '') return false;
    const functionId = functionIds.get(Number(recordedId)) ?? (await ownFunction(Number(recordedId)));
    return replayQueue(functionId, path, exchange, skipped);
  }

  async function replayQueue(
    functionId: number,
    path: string,
    exchange: Exchange,
    skipped: Set<string>,
  ): Promise<boolean> {
    const [{ body = {} } = {}, { status, body: answer = {} } = { status: 0 }] = [exchange.request, exchange.response];
    const { agent_id: agentId, ...rest } = body as { readonly agent_id: string };
    const agent = new TestAgent(admin, functionId, agentId);
    const [id = '', call = ''] = path.split('/');
    if (path === 'acquire') {
      if (status !== 200) return false;
      const category = (rest as Json)['request_category'] as 'batch' | 'interactive';
      const expected = answer['ar_assignment'] as RecordedAssignment | null;
      if (expected !== null && !TYPES.has(expected.ar_params.type)) skipped.add(expected.ar_id);
      if (expected !== null && skipped.has(expected.ar_id)) return false;
      if (expected !== null) await enqueue(functionId, expected, category);
      const own = expected === null ? null : { ...expected, ar_params: { ...expected.ar_params, task: taskId } };
      expect(await agent.acquire(category)).toEqual(own);
      return true;
    }
    if (skipped.has(id)) return false;
    if (status === 409) {
      await app.db.query(sql`update annotation_request set status = 'cancelled' where id = ${id}::uuid`);
    }
    const sent = withOwnIds(rest) as { progress: number; exc_info: string };
    const answered = await (call === 'update'
      ? agent.update(id, sent.progress)
      : call === 'complete'
        ? agent.complete(id, sent)
        : agent.fail(id, sent.exc_info));
    expect({ path, status: answered.status, body: answered.body as Json }).toEqual({ path, status, body: answer });
    return true;
  }

  /** The functions of `create-and-delete`, which other records use. */
  async function ownFunction(recordedId: number): Promise<number> {
    const { scenarios } = recordedJson('functions/create-and-delete.json') as Recorded;
    const created = scenarios
      .flatMap(({ exchanges }) => exchanges)
      .find(({ request, response }) => request?.method === 'POST' && response?.body?.['id'] === recordedId);
    const body = created?.request?.body ?? {
      provider: 'native',
      name: 'Two',
      kind: 'detector',
      labels_v2: [{ name: 'car', attributes: [] }],
    };
    const made = await admin.http.post('/api/functions').send(body).expect(201);
    functionIds.set(recordedId, (made.body as { id: number }).id);
    return (made.body as { id: number }).id;
  }
});

/** Keys that the stand-in did not have. */
const NEWER = { help_message: '', animated_gif: '', has_agent: false };

/** A function without what differs in every run. The stand-in took the organization's slug for its id. */
function comparable({
  url: _u,
  id: _i,
  owner: _o,
  organization: _n,
  created_date: _c,
  updated_date: _d,
  ...rest
}: Json): Json {
  return rest;
}

function recordedLabels(): RecordedLabel[] {
  const { scenarios } = recordedJson('functions/agent-detector.json') as Recorded;
  const read = scenarios
    .flatMap(({ exchanges }) => exchanges)
    .find(({ request }) => request?.path.startsWith('/api/labels') === true);
  const { results = [] } = (read?.response?.body ?? {}) as { readonly results?: RecordedLabel[] };
  return results;
}

/** The server stores prompts relative to the frame, and sends them relative to the region of interest. */
function inFrame(params: Json): Json {
  const { roi } = params as { readonly roi?: readonly [number, number] };
  if (roi === undefined || params['type'] !== 'interact') return params;
  const moved = (points: unknown): unknown =>
    (points as readonly (readonly [number, number])[]).map(([x, y]) => [x + roi[0], y + roi[1]]);
  const { pos_points: pos, neg_points: neg, obj_bbox: box } = params;
  return { ...params, pos_points: moved(pos), neg_points: moved(neg), obj_bbox: moved(box) };
}
