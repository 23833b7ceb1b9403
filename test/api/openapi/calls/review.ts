import { at, type Caller } from '../call.js';

export const review: Record<string, Caller> = {
  'GET /api/issues': at('/api/issues'),
  'POST /api/issues': ({ jobId }) => ({
    path: '/api/issues',
    body: { job: jobId, frame: 0, position: [1, 2], message: 'look' },
  }),
  'GET /api/issues/{id}': async (world) => ({ path: `/api/issues/${(await world.issue()).id}` }),
  'PATCH /api/issues/{id}': async (world) => ({
    path: `/api/issues/${(await world.issue()).id}`,
    body: { resolved: true },
  }),
  'DELETE /api/issues/{id}': async (world) => ({ path: `/api/issues/${(await world.issue()).id}` }),
  'GET /api/comments': at('/api/comments'),
  'POST /api/comments': async (world) => ({
    path: '/api/comments',
    body: { issue: (await world.issue()).id, message: 'seen' },
  }),
  'GET /api/comments/{id}': async (world) => ({ path: `/api/comments/${(await world.comment()).id}` }),
  'PATCH /api/comments/{id}': async (world) => ({
    path: `/api/comments/${(await world.comment()).id}`,
    body: { message: 'x' },
  }),
  'DELETE /api/comments/{id}': async (world) => ({ path: `/api/comments/${(await world.comment()).id}` }),
};
