import { picture } from '../../support/pictures.js';
import type { Caller } from './call.js';
import { exchange } from './exchange-calls.js';
import { PASSWORD, type World } from './world.js';

const at =
  (path: string): Caller =>
  () => ({ path });
const NEW_PASSWORD = { new_password1: 'Staple-battery-8', new_password2: 'Staple-battery-8' };
let count = 0;
const fresh = (prefix: string): string => `${prefix}${(count += 1)}`;

const auth: Record<string, Caller> = {
  'GET /api/auth/access_tokens': async (world, actor) => {
    await world.token(actor);
    return { path: '/api/auth/access_tokens' };
  },
  'POST /api/auth/access_tokens': () => ({
    path: '/api/auth/access_tokens',
    body: { name: 'robot', expiry_date: '2100-01-01T00:00:00Z', read_only: true },
  }),
  'GET /api/auth/access_tokens/self': async (world, actor) => ({
    path: '/api/auth/access_tokens/self',
    headers: { Authorization: `Bearer ${(await world.token(actor)).value}` },
  }),
  'GET /api/auth/access_tokens/{id}': async (world, actor) => ({
    path: `/api/auth/access_tokens/${(await world.token(actor)).id}`,
  }),
  'PATCH /api/auth/access_tokens/{id}': async (world, actor) => ({
    path: `/api/auth/access_tokens/${(await world.token(actor)).id}`,
    body: { name: 'renamed' },
  }),
  'DELETE /api/auth/access_tokens/{id}': async (world, actor) => ({
    path: `/api/auth/access_tokens/${(await world.token(actor)).id}`,
  }),
  'POST /api/auth/login': async (world) => {
    const { username } = await world.personWithPassword();
    return [
      { path: '/api/auth/login', body: { username, password: PASSWORD } },
      { path: '/api/auth/login', body: { username, password: 'wrong' } },
    ];
  },
  'POST /api/auth/logout': async (world) => {
    const { token } = await world.given.person();
    return { path: '/api/auth/logout', headers: { Authorization: `Token ${token}` } };
  },
  'POST /api/auth/password/change': async (world) => {
    const { token } = await world.personWithPassword();
    const headers = { Authorization: `Token ${token}` };
    return [
      { path: '/api/auth/password/change', headers, body: { ...NEW_PASSWORD, old_password: 'wrong' } },
      { path: '/api/auth/password/change', headers, body: { ...NEW_PASSWORD, old_password: PASSWORD } },
    ];
  },
  'POST /api/auth/password/reset': () => ({ path: '/api/auth/password/reset', body: { email: 'a@example.org' } }),
  'POST /api/auth/password/reset/confirm': async (world) => ({
    path: '/api/auth/password/reset/confirm',
    body: { ...NEW_PASSWORD, ...(await world.resetLink()) },
  }),
  'POST /api/auth/register': () => {
    const username = fresh('newcomer');
    const body = { username, email: `${username}@example.org`, password1: PASSWORD, password2: PASSWORD };
    return [
      { path: '/api/auth/register', body },
      { path: '/api/auth/register', body: { username: 'x' } },
    ];
  },
};

const people: Record<string, Caller> = {
  'GET /api/users': at('/api/users'),
  'GET /api/users/self': at('/api/users/self'),
  'GET /api/users/{id}': ({ owner, stranger }) => [
    { path: `/api/users/${owner.id}` },
    { path: `/api/users/${stranger.id}` },
    { path: '/api/users/2000000000' },
  ],
  'PATCH /api/users/{id}': (_, actor) => ({ path: `/api/users/${actor.id}`, body: { first_name: 'Other' } }),
  'DELETE /api/users/{id}': async ({ given }) => ({ path: `/api/users/${(await given.person()).id}` }),
  'GET /api/organizations': at('/api/organizations'),
  'POST /api/organizations': () => ({ path: '/api/organizations', body: { slug: fresh('org-'), contact: ['any'] } }),
  'GET /api/organizations/{id}': ({ organization }) => ({ path: `/api/organizations/${organization.id}` }),
  'PATCH /api/organizations/{id}': ({ organization }) => ({
    path: `/api/organizations/${organization.id}`,
    body: { contact: { email: 'a@example.org' } },
  }),
  'DELETE /api/organizations/{id}': async ({ given, owner }) => ({
    path: `/api/organizations/${(await given.organization(owner)).id}`,
  }),
  'POST /api/organizations/{id}/transfer': async (world) => {
    const { id, heir } = await world.inheritable();
    return { path: `/api/organizations/${id}/transfer`, body: { user_id: heir } };
  },
  'GET /api/memberships': at('/api/memberships'),
  'GET /api/memberships/{id}': ({ membershipId }) => ({ path: `/api/memberships/${membershipId}` }),
  'PATCH /api/memberships/{id}': ({ membershipId }) => ({
    path: `/api/memberships/${membershipId}`,
    body: { role: 'supervisor' },
  }),
  'DELETE /api/memberships/{id}': async (world) => ({ path: `/api/memberships/${await world.membership()}` }),
  'GET /api/invitations': at('/api/invitations'),
  'POST /api/invitations': async ({ given, organization }) => ({
    path: `/api/invitations?org=${organization.slug}`,
    body: { role: 'worker', email: `${(await given.person()).username}@example.org` },
  }),
  'GET /api/invitations/{key}': async (world) => ({ path: `/api/invitations/${await world.invitation()}` }),
  'PATCH /api/invitations/{key}': async (world) => {
    const { key, headers } = await world.invited();
    return [{ path: `/api/invitations/${key}?accepted` }, { path: `/api/invitations/${key}?accepted`, headers }];
  },
  'DELETE /api/invitations/{key}': async (world) => ({ path: `/api/invitations/${await world.invitation()}` }),
  'POST /api/invitations/{key}/accept': async (world) => {
    const { key, headers } = await world.invited();
    return [{ path: `/api/invitations/${key}/accept` }, { path: `/api/invitations/${key}/accept`, headers }];
  },
  'POST /api/invitations/{key}/decline': async (world) => {
    const { key, headers } = await world.invited();
    return [{ path: `/api/invitations/${key}/decline` }, { path: `/api/invitations/${key}/decline`, headers }];
  },
  'POST /api/invitations/{key}/resend': async (world) => ({
    path: `/api/invitations/${await world.invitation()}/resend`,
  }),
};

const server: Record<string, Caller> = {
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

const projects: Record<string, Caller> = {
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

const assets: Record<string, Caller> = {
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

const media =
  (kind: 'tasks' | 'jobs'): Caller =>
  ({ taskId, jobId }) => {
    const path = `/api/${kind}/${kind === 'tasks' ? `${taskId}/data/` : `${jobId}/data`}`;
    const original = `${path}?type=frame&number=0&quality=original`;
    const others = ['type=chunk&number=0', 'type=frame&number=0', 'type=frame&number=99', 'type=x'];
    return [
      ...others.map((query) => ({ path: `${path}?${query}` })),
      { path: original },
      { path: original, headers: { Range: 'bytes=0-9' } },
      { path: original, headers: { Range: 'bytes=99999999-' } },
    ];
  };

const annotations = (kind: 'tasks' | 'jobs'): Record<string, Caller> => {
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

const tasks: Record<string, Caller> = {
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
    const files = { 'a.jpg': await picture() };
    return [
      { path, headers: { 'Upload-Start': '' }, mayBeEmpty: true },
      { path, headers: { 'Upload-Multiple': '' }, files },
      { path, headers: { 'Upload-Length': '4', 'Upload-Metadata': 'filename Yi5qcGc=' } },
      { path, headers: { 'Upload-Length': '4', 'Upload-Metadata': 'filename Yi5qcGc=' } },
      { path, body: { image_quality: 101 } },
      { path: another, files },
    ];
  },
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

const jobs: Record<string, Caller> = {
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
  'GET /api/jobs/{id}/data/meta': ({ jobId, groundTruthId }) => [
    { path: `/api/jobs/${jobId}/data/meta` },
    { path: `/api/jobs/${groundTruthId}/data/meta` },
  ],
  'PATCH /api/jobs/{id}/data/meta': ({ jobId }) => ({
    path: `/api/jobs/${jobId}/data/meta`,
    body: { deleted_frames: [] },
  }),
  // a job always has data, so its 204 has no example
  'GET /api/jobs/{id}/preview': ({ jobId }) => ({ path: `/api/jobs/${jobId}/preview` }),
};

const review: Record<string, Caller> = {
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

const webhooks: Record<string, Caller> = {
  'GET /api/inspect': at('/api/inspect'),
  'GET /api/inspect/{box}': async (_, actor) => ({
    path: `/api/inspect/${(await actor.http.post('/api/inspect').send({})).body.id}`,
  }),
  'POST /api/inspect': () => ({ path: '/api/inspect', body: {} }),
  'DELETE /api/inspect/{box}': async (_, actor) => ({
    path: `/api/inspect/${(await actor.http.post('/api/inspect').send({})).body.id}`,
  }),
  'GET /api/events/stream': at('/api/events/stream?event=x'),
  'GET /api/webhooks': at('/api/webhooks'),
  'POST /api/webhooks': (world) => [
    { path: '/api/webhooks', body: { ...world.webhookBody(), type: 'project', project_id: world.projectId } },
    { path: '/api/webhooks', body: {} },
  ],
  'GET /api/webhooks/events': () => [{ path: '/api/webhooks/events' }, { path: '/api/webhooks/events?type=x' }],
  'GET /api/webhooks/events/{event}/schema': () => [
    { path: '/api/webhooks/events/update:task/schema?version=2.0' },
    { path: `/api/webhooks/events/${encodeURIComponent('completed:request[create:task]')}/schema` },
    { path: '/api/webhooks/events/update:nothing/schema' },
    { path: '/api/webhooks/events/update:task/schema?version=9' },
  ],
  'GET /api/webhooks/{id}': async (world) => [
    { path: `/api/webhooks/${world.webhookId}` },
    { path: `/api/webhooks/${(await world.webhook()).id}` },
  ],
  'PUT /api/webhooks/{id}': async (world) => ({
    path: `/api/webhooks/${(await world.webhook()).id}`,
    body: world.webhookBody(),
  }),
  'PATCH /api/webhooks/{id}': async (world) => ({
    path: `/api/webhooks/${(await world.webhook()).id}`,
    body: { description: 'x' },
  }),
  'DELETE /api/webhooks/{id}': async (world) => ({ path: `/api/webhooks/${(await world.webhook()).id}` }),
  'GET /api/webhooks/{id}/deliveries': ({ webhookId }) => ({ path: `/api/webhooks/${webhookId}/deliveries` }),
  'GET /api/webhooks/{id}/deliveries/{delivery}': ({ webhookId, deliveryId }) => ({
    path: `/api/webhooks/${webhookId}/deliveries/${deliveryId}`,
  }),
  'POST /api/webhooks/{id}/deliveries/{delivery}/redelivery': ({ webhookId, deliveryId }) => ({
    path: `/api/webhooks/${webhookId}/deliveries/${deliveryId}/redelivery`,
  }),
  'GET /api/webhooks/{id}/deliveries/{delivery}/attempts': ({ webhookId, deliveryId }) => ({
    path: `/api/webhooks/${webhookId}/deliveries/${deliveryId}/attempts`,
  }),
  'POST /api/webhooks/{id}/redeliveries': ({ webhookId }) => [
    { path: `/api/webhooks/${webhookId}/redeliveries`, body: { since: '2000-01-01T00:00:00Z' } },
    { path: `/api/webhooks/${webhookId}/redeliveries`, body: {} },
  ],
  'GET /api/webhooks/events/sample': () => [
    { path: '/api/webhooks/events/sample?event=create:task' },
    { path: '/api/webhooks/events/sample' },
  ],
  'GET /api/webhooks/{id}/sample': ({ webhookId }) => [
    { path: `/api/webhooks/${webhookId}/sample?event=update:task` },
    { path: `/api/webhooks/${webhookId}/sample` },
  ],
  'POST /api/webhooks/{id}/sample': ({ webhookId }) => ({
    path: `/api/webhooks/${webhookId}/sample`,
    body: { event: 'update:task' },
  }),
  'GET /api/webhooks/{id}/explain': ({ webhookId }) => [
    { path: `/api/webhooks/${webhookId}/explain?event=update:task` },
    { path: `/api/webhooks/${webhookId}/explain?event=x` },
  ],
  'POST /api/webhooks/{id}/secret': async (world) => ({
    path: `/api/webhooks/${(await world.webhook()).id}/secret`,
  }),
  'POST /api/webhooks/{id}/resume': async (world) => ({
    path: `/api/webhooks/${(await world.webhook()).id}/resume`,
  }),
  'POST /api/webhooks/{id}/ping': ({ webhookId }) => ({ path: `/api/webhooks/${webhookId}/ping` }),
};

const cloudStorages: Record<string, Caller> = {
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

/** How each operation of the document is called. */
export const CALLS: Readonly<Record<string, Caller>> = {
  ...auth,
  ...people,
  ...server,
  ...cloudStorages,
  ...projects,
  ...assets,
  ...tasks,
  ...jobs,
  ...review,
  ...webhooks,
  ...exchange,
};
