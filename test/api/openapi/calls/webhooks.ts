import { at, type Caller } from '../call.js';

export const webhooks: Record<string, Caller> = {
  'GET /api/inspect': at('/api/inspect'),
  'GET /api/inspect/{box}': async (_, actor) => ({
    path: `/api/inspect/${(await actor.http.post('/api/inspect').send({})).body.id}`,
  }),
  'POST /api/inspect': () => ({ path: '/api/inspect', body: {} }),
  'DELETE /api/inspect/{box}': async (_, actor) => ({
    path: `/api/inspect/${(await actor.http.post('/api/inspect').send({})).body.id}`,
  }),
  'GET /api/events/stream': at('/api/events/stream?event=x'),
  'GET /api/webhooks': at('/api/webhooks'),
  'POST /api/webhooks': (world) => [
    { path: '/api/webhooks', body: { ...world.webhookBody(), type: 'project', project_id: world.projectId } },
    { path: '/api/webhooks', body: {} },
  ],
  'GET /api/webhooks/events': () => [{ path: '/api/webhooks/events' }, { path: '/api/webhooks/events?type=x' }],
  'GET /api/webhooks/events/{event}/schema': () => [
    { path: '/api/webhooks/events/update:task/schema?version=2.0' },
    { path: `/api/webhooks/events/${encodeURIComponent('completed:request[create:task]')}/schema` },
    { path: '/api/webhooks/events/update:nothing/schema' },
    { path: '/api/webhooks/events/update:task/schema?version=9' },
  ],
  'GET /api/webhooks/{id}': async (world) => [
    { path: `/api/webhooks/${world.webhookId}` },
    { path: `/api/webhooks/${(await world.webhook()).id}` },
  ],
  'PUT /api/webhooks/{id}': async (world) => ({
    path: `/api/webhooks/${(await world.webhook()).id}`,
    body: world.webhookBody(),
  }),
  'PATCH /api/webhooks/{id}': async (world) => ({
    path: `/api/webhooks/${(await world.webhook()).id}`,
    body: { description: 'x' },
  }),
  'DELETE /api/webhooks/{id}': async (world) => ({ path: `/api/webhooks/${(await world.webhook()).id}` }),
  'GET /api/webhooks/{id}/deliveries': ({ webhookId }) => ({ path: `/api/webhooks/${webhookId}/deliveries` }),
  'GET /api/webhooks/{id}/deliveries/{delivery}': ({ webhookId, deliveryId }) => ({
    path: `/api/webhooks/${webhookId}/deliveries/${deliveryId}`,
  }),
  'POST /api/webhooks/{id}/deliveries/{delivery}/redelivery': ({ webhookId, deliveryId }) => ({
    path: `/api/webhooks/${webhookId}/deliveries/${deliveryId}/redelivery`,
  }),
  'GET /api/webhooks/{id}/deliveries/{delivery}/attempts': ({ webhookId, deliveryId }) => ({
    path: `/api/webhooks/${webhookId}/deliveries/${deliveryId}/attempts`,
  }),
  'POST /api/webhooks/{id}/redeliveries': ({ webhookId }) => [
    { path: `/api/webhooks/${webhookId}/redeliveries`, body: { since: '2000-01-01T00:00:00Z' } },
    { path: `/api/webhooks/${webhookId}/redeliveries`, body: {} },
  ],
  'GET /api/webhooks/events/sample': () => [
    { path: '/api/webhooks/events/sample?event=create:task' },
    { path: '/api/webhooks/events/sample' },
  ],
  'GET /api/webhooks/{id}/sample': ({ webhookId }) => [
    { path: `/api/webhooks/${webhookId}/sample?event=update:task` },
    { path: `/api/webhooks/${webhookId}/sample` },
  ],
  'POST /api/webhooks/{id}/sample': ({ webhookId }) => ({
    path: `/api/webhooks/${webhookId}/sample`,
    body: { event: 'update:task' },
  }),
  'GET /api/webhooks/{id}/explain': ({ webhookId }) => [
    { path: `/api/webhooks/${webhookId}/explain?event=update:task` },
    { path: `/api/webhooks/${webhookId}/explain?event=x` },
  ],
  'POST /api/webhooks/{id}/secret': async (world) => ({
    path: `/api/webhooks/${(await world.webhook()).id}/secret`,
  }),
  'POST /api/webhooks/{id}/resume': async (world) => ({
    path: `/api/webhooks/${(await world.webhook()).id}/resume`,
  }),
  'POST /api/webhooks/{id}/ping': ({ webhookId }) => ({ path: `/api/webhooks/${webhookId}/ping` }),
};
