import { randomUUID } from 'node:crypto';
import type { Person } from '../../../support/given.js';
import { AGENT } from '../../../support/given-functions.js';
import { at, type Call, type Caller } from '../call.js';
import type { World } from '../world.js';

/** Calls for a request that an agent of the actor holds, for one of another function, and with a body that is not valid. */
const held =
  (verb: string, body: object): Caller =>
  async (world: World, actor: Person): Promise<Call[]> => {
    const { queue, id } = await world.heldRequest(actor);
    const path = `${queue}/requests/${id}/${verb}`;
    return [
      { path: path.replace(id, randomUUID()), body: { agent_id: AGENT, ...body } },
      { path, body: { agent_id: 'another agent', ...body } },
      { path, body: { agent_id: AGENT, ...body } },
      { path, body: {} },
    ];
  };

export const functions: Record<string, Caller> = {
  'GET /api/functions': at('/api/functions'),
  'POST /api/functions': (world) => [
    { path: '/api/functions', body: world.functionBody() },
    { path: '/api/functions', body: { provider: 'other' } },
  ],
  'GET /api/functions/{id}': ({ functionId }) => ({ path: `/api/functions/${functionId}` }),
  'PATCH /api/functions/{id}': ({ functionId }) => [
    { path: `/api/functions/${functionId}`, body: { description: 'Finds cars.' } },
    { path: `/api/functions/${functionId}`, body: { visibility: 'everybody' } },
  ],
  'DELETE /api/functions/{id}': async (world) => ({ path: `/api/functions/${(await world.function()).id}` }),
  'GET /api/functions/queues/{queue}/watch': at('/api/functions/queues/function%3A2000000000/watch'),
  'POST /api/functions/queues/{queue}/requests/acquire': async (world, actor) => {
    const { queue } = await world.heldRequest(actor);
    const path = `${queue}/requests/acquire`;
    return [
      { path, body: { agent_id: AGENT, request_category: 'interactive' } },
      { path, body: { agent_id: AGENT, request_category: 'batch' } },
      { path, body: { agent_id: AGENT, request_category: 'other' } },
    ];
  },
  'POST /api/functions/queues/{queue}/requests/{request}/update': held('update', { progress: 0.5 }),
  'POST /api/functions/queues/{queue}/requests/{request}/complete': held('complete', {
    annotations: { tags: [], shapes: [] },
  }),
  'POST /api/functions/queues/{queue}/requests/{request}/fail': held('fail', { exc_info: 'Unknown error' }),
};
