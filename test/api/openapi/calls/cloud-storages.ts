import { at, type Caller } from '../call.js';

export const cloudStorages: Record<string, Caller> = {
  'GET /api/cloudstorages': at('/api/cloudstorages'),
  'POST /api/cloudstorages': (world) => [
    { path: '/api/cloudstorages', body: world.cloudStorageBody() },
    { path: '/api/cloudstorages', body: { resource: 'photos' } },
  ],
  'GET /api/cloudstorages/{id}': (world) => ({ path: `/api/cloudstorages/${world.cloudStorageId}` }),
  'PATCH /api/cloudstorages/{id}': (world) => [
    { path: `/api/cloudstorages/${world.cloudStorageId}`, body: { description: 'other' } },
    { path: `/api/cloudstorages/${world.cloudStorageId}`, body: { resource: 'nowhere' } },
  ],
  'DELETE /api/cloudstorages/{id}': async (world) => ({
    path: `/api/cloudstorages/${(await world.cloudStorage()).id}`,
  }),
  'GET /api/cloudstorages/{id}/content-v2': (world) => [
    { path: `/api/cloudstorages/${world.cloudStorageId}/content-v2` },
    { path: `/api/cloudstorages/${world.cloudStorageId}/content-v2?manifest_path=no.jsonl` },
  ],
  'GET /api/cloudstorages/{id}/preview': (world) => [
    { path: `/api/cloudstorages/${world.cloudStorageId}/preview` },
    { path: '/api/cloudstorages/2000000000/preview' },
  ],
  'GET /api/cloudstorages/{id}/status': (world) => ({ path: `/api/cloudstorages/${world.cloudStorageId}/status` }),
  'GET /api/cloudstorages/{id}/actions': (world) => ({ path: `/api/cloudstorages/${world.cloudStorageId}/actions` }),
};
