import { at, type Caller } from '../call.js';

export const projects: Record<string, Caller> = {
  'GET /api/projects': at('/api/projects'),
  'POST /api/projects': () => [
    { path: '/api/projects', body: { name: 'p', labels: [{ name: 'car', attributes: [] }] } },
    { path: '/api/projects', body: {} },
  ],
  'GET /api/projects/{id}': ({ projectId }) => [
    { path: `/api/projects/${projectId}` },
    { path: '/api/projects/2000000000' },
  ],
  'PATCH /api/projects/{id}': ({ projectId }) => [
    { path: `/api/projects/${projectId}`, body: { name: 'renamed' } },
    { path: `/api/projects/${projectId}`, body: { name: 'x' }, headers: { 'If-Match': '"old"' } },
  ],
  'DELETE /api/projects/{id}': async (world) => ({ path: `/api/projects/${(await world.project()).id}` }),
  'GET /api/projects/{id}/preview': async (world) => [
    { path: `/api/projects/${world.projectId}/preview` },
    { path: `/api/projects/${(await world.project()).id}/preview` },
    { path: `/api/projects/${(await world.project()).id}/preview`, headers: { Prefer: 'handling=empty' } },
  ],
  'GET /api/labels': ({ projectId }) => ({ path: `/api/labels?project_id=${projectId}` }),
  'GET /api/labels/{id}': ({ labelId }) => ({ path: `/api/labels/${labelId}` }),
  'PATCH /api/labels/{id}': ({ labelId }) => ({ path: `/api/labels/${labelId}`, body: { color: '#102030' } }),
  'DELETE /api/labels/{id}': async (world) => ({ path: `/api/labels/${await world.label()}` }),
  'POST /api/guides': async (world) => ({
    path: '/api/guides',
    body: { project_id: (await world.project()).id, markdown: '# how' },
  }),
  'GET /api/guides/{id}': async (world) => ({ path: `/api/guides/${(await world.guide()).id}` }),
  'PATCH /api/guides/{id}': async (world) => ({
    path: `/api/guides/${(await world.guide()).id}`,
    body: { markdown: '' },
  }),
  'DELETE /api/guides/{id}': async (world) => ({ path: `/api/guides/${(await world.guide()).id}` }),
};

export const assets: Record<string, Caller> = {
  'POST /api/assets': async (world) => {
    const { id } = await world.guide();
    return [
      { path: '/api/assets', ...world.assetForm(id) },
      { path: '/api/assets', ...world.assetForm(2_000_000_000) },
      { path: '/api/assets', body: { guide_id: id } },
    ];
  },
  'GET /api/assets/{uuid}': async (world) => ({ path: `/api/assets/${await world.asset()}` }),
  'DELETE /api/assets/{uuid}': async (world) => ({ path: `/api/assets/${await world.asset()}` }),
};
