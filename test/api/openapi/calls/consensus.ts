import { at, type Caller } from '../call.js';

export const consensus: Record<string, Caller> = {
  'GET /api/consensus/settings': at('/api/consensus/settings'),
  'GET /api/consensus/settings/{id}': async (world) => ({
    path: `/api/consensus/settings/${await world.consensusSettings()}`,
  }),
  'PATCH /api/consensus/settings/{id}': async (world) => {
    const path = `/api/consensus/settings/${await world.consensusSettings()}`;
    return [
      { path, body: { quorum: 0.6 } },
      { path, body: { quorum: 2 } },
    ];
  },
  'GET /api/tasks/{id}/agreement': async (world) => ({ path: `/api/tasks/${await world.agreement()}/agreement` }),
  'GET /api/tasks/{id}/agreement/csv': async (world) => ({
    path: `/api/tasks/${await world.agreement()}/agreement/csv`,
  }),
  'POST /api/tasks/{id}/agreement': async (world) => {
    const path = `/api/tasks/${(await world.replicas()).id}/agreement`;
    return [{ path }, { path }, { path: `/api/tasks/${world.taskId}/agreement` }];
  },
  'POST /api/consensus/merges': async (world) => {
    const { id } = await world.replicas();
    return [
      { path: '/api/consensus/merges', body: { task_id: id } },
      { path: '/api/consensus/merges', body: { task_id: id } },
      { path: '/api/consensus/merges', body: { task_id: world.taskId } },
      { path: '/api/consensus/merges?rq_id=x', body: { task_id: id } },
      { path: '/api/consensus/merges', body: {} },
    ];
  },
};
