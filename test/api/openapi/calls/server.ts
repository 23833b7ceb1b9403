import { at, type Caller } from '../call.js';

export const server: Record<string, Caller> = {
  'GET /api/asyncapi': () => [{ path: '/api/asyncapi' }, { path: '/api/asyncapi?scheme=yaml' }],
  'GET /api/schema/': () => [{ path: '/api/schema/?scheme=json' }, { path: '/api/schema/?scheme=yaml' }],
  'GET /api/server/about': at('/api/server/about'),
  'GET /api/server/annotation/formats': at('/api/server/annotation/formats'),
  'GET /api/server/health/': () => [{ path: '/api/server/health/?format=json' }, { path: '/api/server/health/', headers: { Accept: 'text/html' } }], // prettier-ignore
  'GET /api/server/plugins': at('/api/server/plugins'),
  'GET /api/server/share': () => [{ path: '/api/server/share' }, { path: '/api/server/share?directory=nowhere' }],
  'GET /api/requests': at('/api/requests'),
  'GET /api/requests/{id}': ({ taskId }) => [
    { path: `/api/requests/${encodeURIComponent(`action=create&target=task&target_id=${taskId}`)}` },
    { path: '/api/requests/unknown' },
  ],
  'POST /api/requests/{id}/cancel': async (world, actor) => [
    { path: `/api/requests/${encodeURIComponent(await world.queuedRequest(actor))}/cancel` },
    { path: '/api/requests/unknown/cancel' },
  ],
};
