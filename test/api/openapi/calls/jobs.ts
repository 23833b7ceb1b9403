import { at, type Caller } from '../call.js';
import { annotations } from './annotations.js';
import { media } from './frames.js';

export const jobs: Record<string, Caller> = {
  'GET /api/jobs': at('/api/jobs?page_size=all'),
  'POST /api/jobs': async (world) => [
    { path: '/api/jobs', body: world.groundTruthBody((await world.photos()).id) },
    { path: '/api/jobs', body: { task_id: world.taskId } },
  ],
  'PATCH /api/jobs': ({ jobId, groundTruthId }) => ({
    path: '/api/jobs',
    body: { ids: [jobId, groundTruthId], stage: 'validation' },
  }),
  'GET /api/jobs/{id}': ({ jobId, groundTruthId }) => [
    { path: `/api/jobs/${jobId}` },
    { path: `/api/jobs/${groundTruthId}` },
  ],
  'PATCH /api/jobs/{id}': ({ jobId }) => ({ path: `/api/jobs/${jobId}`, body: { state: 'in progress' } }),
  'DELETE /api/jobs/{id}': async (world) => ({ path: `/api/jobs/${(await world.groundTruth()).id}` }),
  ...annotations('jobs'),
  'GET /api/jobs/{id}/data': media('jobs'),
  'GET /api/tasks/{id}/validation_layout': async (world) => [
    { path: `/api/tasks/${world.taskId}/validation_layout` },
    { path: `/api/tasks/${(await world.pool()).id}/validation_layout` },
  ],
  'PATCH /api/tasks/{id}/validation_layout': async (world) => ({
    path: `/api/tasks/${(await world.pool()).id}/validation_layout`,
    body: { disabled_frames: [], frame_selection_method: 'random_uniform' },
  }),
  'GET /api/jobs/{id}/validation_layout': async (world) => [
    { path: `/api/jobs/${world.jobId}/validation_layout` },
    { path: `/api/jobs/${(await world.pool()).jobs[0]}/validation_layout` },
  ],
  'PATCH /api/jobs/{id}/validation_layout': async (world) => ({
    path: `/api/jobs/${(await world.pool()).jobs[0]}/validation_layout`,
    body: { frame_selection_method: 'random_uniform' },
  }),
  'GET /api/jobs/{id}/presence': ({ jobId }) => ({
    path: `/api/jobs/${jobId}/presence?window=${encodeURIComponent('?')}`,
  }),
  'GET /api/jobs/{id}/data/meta': ({ jobId, groundTruthId }) => [
    { path: `/api/jobs/${jobId}/data/meta` },
    { path: `/api/jobs/${groundTruthId}/data/meta` },
  ],
  'PATCH /api/jobs/{id}/data/meta': ({ jobId }) => ({
    path: `/api/jobs/${jobId}/data/meta`,
    body: { deleted_frames: [] },
  }),
  // a job always has data, so there is no example of a 204
  'GET /api/jobs/{id}/preview': ({ jobId }) => ({ path: `/api/jobs/${jobId}/preview` }),
};
