import { at, type Caller } from '../call.js';

export const quality: Record<string, Caller> = {
  'GET /api/quality/settings': at('/api/quality/settings'),
  'GET /api/quality/settings/{id}': async (world) => ({
    path: `/api/quality/settings/${await world.qualitySettings()}`,
  }),
  'PUT /api/quality/settings/{id}': async (world) => ({
    path: `/api/quality/settings/${await world.qualitySettings()}`,
    body: { job_filter: '' },
  }),
  'PATCH /api/quality/settings/{id}': async (world) => ({
    path: `/api/quality/settings/${await world.qualitySettings()}`,
    body: { iou_threshold: 0.5 },
  }),
  'GET /api/quality/settings/requirements': at('/api/quality/settings/requirements'),
  'GET /api/quality/settings/requirements/{id}': async (world) => ({
    path: `/api/quality/settings/requirements/${await world.qualitySettings()}`,
  }),
  'PUT /api/quality/settings/requirements/{id}': async (world) => ({
    path: `/api/quality/settings/requirements/${await world.qualitySettings()}`,
    body: { name: 'Base', iou_threshold: 0.5 },
  }),
  'PATCH /api/quality/settings/requirements/{id}': async (world) => ({
    path: `/api/quality/settings/requirements/${await world.qualitySettings()}`,
    body: { required_score: 0.8 },
  }),
  'GET /api/quality/reports': async (world) => {
    await world.qualityReport();
    return { path: '/api/quality/reports' };
  },
  'POST /api/quality/reports': async (world) => ({
    path: '/api/quality/reports',
    body: { project_id: (await world.project()).id },
  }),
  'GET /api/quality/reports/{id}': async (world) => ({ path: `/api/quality/reports/${await world.qualityReport()}` }),
  'GET /api/quality/reports/{id}/data': async (world) => ({
    path: `/api/quality/reports/${await world.qualityReport()}/data`,
  }),
  'GET /api/quality/reports/{id}/annotators': async (world) => ({
    path: `/api/quality/reports/${await world.qualityReport()}/annotators`,
  }),
  'GET /api/quality/reports/{id}/confusion': async (world) => ({
    path: `/api/quality/reports/${await world.qualityReport()}/confusion`,
  }),
  'GET /api/quality/reports/{id}/confusion/matrix': async (world) => ({
    path: `/api/quality/reports/${await world.qualityReport()}/confusion/matrix?requirement=1`,
  }),
  'GET /api/jobs/{id}/quality': ({ jobId }) => ({ path: `/api/jobs/${jobId}/quality` }),
  'GET /api/quality/conflicts': async (world) => ({
    path: `/api/quality/conflicts?report_id=${await world.qualityReport()}`,
  }),
};
