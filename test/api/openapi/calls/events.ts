import { sql } from '../../../../src/engines/sql/sql.js';
import { RequestWorker } from '../../../../src/modules/requests/index.js';
import { worked } from '../../../support/given-exchange.js';
import type { Person } from '../../../support/given.js';
import { at, type Call, type Caller } from '../call.js';
import type { World } from '../world.js';

const MESSAGE = {
  timestamp: '2026-11-25T12:00:00Z',
  events: [{ scope: 'draw:object', timestamp: '2026-11-25T11:59:00Z', obj_name: 'rectangle', count: 1 }],
  previous_event: { scope: 'load:job', timestamp: '2026-11-25T11:58:00Z' },
};

/** The id of an export that this person started, or no id if it was refused. */
async function finishedExport(world: World, actor: Person): Promise<string> {
  const { body } = await actor.http.post('/api/events/export');
  const { rq_id: id = 'refused' } = body as { rq_id?: string };
  await worked(world.app, actor, id);
  return encodeURIComponent(id);
}

/** The older form: starts an export, asks for its state, and downloads it. */
async function queriedExport(world: World, actor: Person): Promise<Call[]> {
  const { body } = await actor.http.get('/api/events');
  const { query_id: id = 'refused' } = body as { query_id?: string };
  await world.app.app.get(RequestWorker).drain();
  return ['', '&action=download'].map((action) => ({ path: `/api/events?query_id=${id}${action}` }));
}

export const events: Record<string, Caller> = {
  'POST /api/events': () => [
    { path: '/api/events', body: MESSAGE },
    { path: '/api/events', body: { ...MESSAGE, previous_event: null, events: [{ scope: 'x' }] } },
  ],
  'GET /api/events': async (world, actor) => [
    { path: '/api/events' },
    { path: '/api/events?action=x' },
    ...(await queriedExport(world, actor)),
  ],
  'POST /api/events/export': () => [{ path: '/api/events/export' }, { path: '/api/events/export?from=x' }],
  'GET /api/events/download': async (world, actor) => [
    { path: `/api/events/download?rq_id=${await finishedExport(world, actor)}` },
    { path: '/api/events/download' },
  ],
  'GET /api/events/audit': async ({ app }) => {
    await app.drain();
    return { path: '/api/events/audit' };
  },
  'GET /api/events/listeners': at('/api/events/listeners'),
  'GET /api/events/quarantine': async ({ app }) => {
    await app.db.query(sql`
      insert into outbox_quarantine (listener, event_id, event, object_id, error, attempts, first_failed_date, last_failed_date)
      values ('of a test', 1, 'update:job', '1', 'Error: x', 1, now(), now()) on conflict do nothing`);
    return { path: '/api/events/quarantine' };
  },
  'POST /api/events/quarantine/retry': () => [
    { path: '/api/events/quarantine/retry', body: { listener: 'unknown' } },
    { path: '/api/events/quarantine/retry', body: { events: ['x'] } },
  ],
  'GET /api/events/audit/csv': at('/api/events/audit/csv'),
  'GET /api/projects/{id}/activity': ({ projectId }) => ({ path: `/api/projects/${projectId}/activity` }),
  'GET /api/projects/{id}/activity/csv': ({ projectId }) => ({ path: `/api/projects/${projectId}/activity/csv` }),
};
