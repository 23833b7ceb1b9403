import type { Caller } from '../call.js';
import type { World } from '../world.js';

export const annotations = (kind: 'tasks' | 'jobs'): Record<string, Caller> => {
  const path = ({ taskId, jobId }: World): string => `/api/${kind}/${kind === 'tasks' ? taskId : jobId}/annotations/`;
  const revision = async (world: World): Promise<string> => {
    const { body } = await world.owner.http.get(`${path(world)}revisions`);
    return `${path(world)}revisions/${body.results[0].id}`;
  };
  return {
    [`GET /api/${kind}/{id}/annotations/`]: (world) => [{ path: path(world) }, { path: `${path(world)}?format=x` }],
    [`PUT /api/${kind}/{id}/annotations/`]: async (world) => [
      { path: path(world), body: await world.annotations() },
      { path: path(world), body: { shapes: [{ label_id: 0 }] } },
    ],
    [`PATCH /api/${kind}/{id}/annotations/`]: async (world) => [
      { path: `${path(world)}?action=create`, body: await world.annotations() },
      { path: path(world), body: {} },
    ],
    [`DELETE /api/${kind}/{id}/annotations/`]: async (world) => {
      const { id, jobs } = await world.photos();
      return { path: `/api/${kind}/${kind === 'tasks' ? id : jobs[0]}/annotations/` };
    },
    [`GET /api/${kind}/{id}/annotations/revisions`]: (world) => ({ path: `${path(world)}revisions` }),
    [`GET /api/${kind}/{id}/annotations/revisions/{revision}`]: async (world) => [
      { path: await revision(world) },
      { path: `${path(world)}revisions/2000000000` },
    ],
    [`GET /api/${kind}/{id}/annotations/revisions/{revision}/changes`]: async (world) => [
      { path: `${await revision(world)}/changes` },
      { path: `${await revision(world)}/changes?since=x` },
    ],
    [`GET /api/${kind}/{id}/annotations/revisions/{revision}/annotations`]: async (world) => ({
      path: `${await revision(world)}/annotations?state=before`,
    }),
    [`POST /api/${kind}/{id}/annotations/revisions/{revision}/restore`]: async (world) => [
      { path: `${await revision(world)}/restore` },
      { path: `${await revision(world)}/restore?state=x` },
    ],
  };
};
