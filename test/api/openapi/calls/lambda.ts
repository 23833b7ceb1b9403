import { at, type Caller } from '../call.js';

const requestPath = async (world: Parameters<Caller>[0]): Promise<string> =>
  `/api/lambda/requests/${encodeURIComponent(await world.functionRequest())}`;

export const lambda: Record<string, Caller> = {
  'GET /api/lambda/functions': at('/api/lambda/functions'),
  'GET /api/lambda/functions/{id}': () => [
    { path: '/api/lambda/functions/cars' },
    { path: '/api/lambda/functions/nothing' },
  ],
  'POST /api/lambda/functions/{id}': ({ taskId }) => {
    const tracked = [{ type: 'rectangle', points: [1, 2, 3, 4] }];
    const prompts = { pos_points: [[1, 2]], neg_points: [], obj_bbox: [] };
    const boxes = { frame0: 0, frame1: 1, boxes0: [{}], boxes1: [{}] };
    const call = (id: string, body: object) => ({
      path: `/api/lambda/functions/${id}`,
      body: { task: taskId, ...body },
    });
    return [
      call('cars', { frame: 0 }),
      call('cars', { frame: 99 }),
      call('broken', { frame: 0 }),
      call('clicks', { frame: 0, ...prompts }),
      call('follow', { frame: 0, shapes: tracked }),
      call('same', boxes),
      call('nothing', { frame: 0 }),
    ];
  },
  'GET /api/lambda/requests': async (world) => {
    await world.functionRequest();
    return { path: '/api/lambda/requests' };
  },
  'POST /api/lambda/requests': async (world) => {
    const body = { function: 'cars', task: (await world.photos()).id };
    return [
      { path: '/api/lambda/requests', body },
      { path: '/api/lambda/requests', body },
      { path: '/api/lambda/requests', body: { ...body, function: 'nothing' } },
    ];
  },
  'GET /api/lambda/requests/{id}': async (world) => [
    { path: await requestPath(world) },
    { path: '/api/lambda/requests/nothing' },
  ],
  'DELETE /api/lambda/requests/{id}': async (world) => ({ path: await requestPath(world) }),
};
