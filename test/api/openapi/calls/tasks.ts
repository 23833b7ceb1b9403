import { imageFile } from '../../../support/images.js';
import { at, type Caller } from '../call.js';
import { annotations } from './annotations.js';
import { media } from './frames.js';

export const tasks: Record<string, Caller> = {
  'GET /api/tasks': at('/api/tasks?page_size=all'),
  'POST /api/tasks': () => [
    { path: '/api/tasks', body: { name: 't', labels: [{ name: 'car', attributes: [] }] } },
    { path: '/api/tasks', body: { name: '' } },
  ],
  'GET /api/tasks/{id}': async (world) => [
    { path: `/api/tasks/${world.taskId}` },
    { path: `/api/tasks/${(await world.task()).id}` },
    { path: '/api/tasks/2000000000' },
  ],
  'PATCH /api/tasks/{id}': ({ taskId }) => ({ path: `/api/tasks/${taskId}`, body: { subset: 'Train' } }),
  'DELETE /api/tasks/{id}': async (world) => ({ path: `/api/tasks/${(await world.task()).id}` }),
  ...annotations('tasks'),
  'GET /api/tasks/{id}/data/': media('tasks'),
  'POST /api/tasks/{id}/data/': async (world, actor) => {
    const path = `/api/tasks/${(await world.task(actor)).id}/data/`;
    const another = `/api/tasks/${(await world.task(actor)).id}/data/`;
    const files = { 'a.jpg': await imageFile() };
    return [
      { path, headers: { 'Upload-Start': '' } },
      { path, headers: { 'Upload-Multiple': '' }, files },
      { path, headers: { 'Upload-Length': '4', 'Upload-Metadata': 'filename Yi5qcGc=' } },
      { path, headers: { 'Upload-Length': '4', 'Upload-Metadata': 'filename Yi5qcGc=' } },
      { path, body: { image_quality: 101 } },
      { path: another, files },
    ];
  },
  'DELETE /api/tasks/{id}/data/uploads': async (world, actor) => ({
    path: `/api/tasks/${(await world.task(actor)).id}/data/uploads`,
  }),
  'OPTIONS /api/tasks/{id}/data/': ({ taskId }) => ({ path: `/api/tasks/${taskId}/data/` }),
  'HEAD /api/tasks/{id}/data/{fileId}': async (world, actor) => ({ path: await world.upload(actor) }),
  'PATCH /api/tasks/{id}/data/{fileId}': async (world, actor) => ({
    path: await world.upload(actor),
    headers: { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
    body: Buffer.from('half'),
  }),
  'GET /api/tasks/{id}/data/meta': ({ taskId }) => ({ path: `/api/tasks/${taskId}/data/meta` }),
  'PATCH /api/tasks/{id}/data/meta': ({ taskId }) => ({
    path: `/api/tasks/${taskId}/data/meta`,
    body: { deleted_frames: [2] },
  }),
  'GET /api/tasks/{id}/jobs': ({ taskId }) => ({ path: `/api/tasks/${taskId}/jobs` }),
  'GET /api/tasks/{id}/preview': async (world) => [
    { path: `/api/tasks/${world.taskId}/preview` },
    { path: `/api/tasks/${(await world.task()).id}/preview` },
    { path: `/api/tasks/${(await world.task()).id}/preview`, headers: { Prefer: 'handling=empty' } },
  ],
  'GET /api/tasks/{id}/status': ({ taskId }) => ({ path: `/api/tasks/${taskId}/status` }),
};
