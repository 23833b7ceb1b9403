/** One request of the session. Texts that begin with `$` are replaced by what an earlier step kept under that name. */
export interface Step {
  /** The account that sends it; null: not logged in. */
  readonly as: 'admin' | 'owner' | 'worker' | 'stranger' | null;
  /** Operation of the API document, such as `GET /api/tasks/{id}`. */
  readonly operation: string;
  /** Values of the parameters in the path. */
  readonly at?: Readonly<Record<string, string | number>>;
  readonly query?: string;
  readonly json?: unknown;
  /** A body that is not JSON. */
  readonly text?: string;
  /** Fields of a form; `client_files[0]` receives an image. */
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Member of the response to keep for later steps, and its name. */
  readonly keep?: Readonly<Record<string, string>>;
}

const BOX = { type: 'rectangle', frame: 0, label_id: '$car', points: [10, 20, 110.5, 80] };
const TRACK = {
  frame: 0,
  label_id: '$car',
  shapes: [
    { type: 'rectangle', frame: 0, points: [0, 0, 10, 10] },
    { type: 'rectangle', frame: 2, points: [20, 0, 30, 10], outside: true },
  ],
};

/** A team's work from its first project to an accepted job, including common mistakes. */
export const STEPS: readonly Step[] = [
  // the server
  { as: null, operation: 'GET /api/server/about' },
  { as: null, operation: 'GET /api/server/annotation/formats' },
  { as: 'owner', operation: 'GET /api/server/annotation/formats' },
  { as: 'owner', operation: 'GET /api/server/plugins' },
  { as: 'owner', operation: 'GET /api/server/about', headers: { Accept: 'application/vnd.cvat+json; version=9.9' } },
  { as: 'owner', operation: 'GET /api/server/about', headers: { Accept: 'image/png' } },
  // accounts
  { as: null, operation: 'GET /api/users/self' },
  { as: 'owner', operation: 'GET /api/users/self' },
  { as: 'stranger', operation: 'GET /api/users' },
  { as: 'stranger', operation: 'GET /api/users/{id}', at: { id: '$owner' } },
  { as: 'owner', operation: 'PATCH /api/users/{id}', at: { id: '$owner' }, json: { first_name: 'Olga' } },
  { as: 'owner', operation: 'PATCH /api/users/{id}', at: { id: '$owner' }, json: { is_staff: true } },
  { as: null, operation: 'POST /api/auth/login', json: { username: 'olga', password: 'wrong' } },
  { as: null, operation: 'POST /api/auth/login', json: {} },
  {
    as: null,
    operation: 'POST /api/auth/register',
    json: { username: 'noranew', email: 'nora@example.org', password1: 'a-long-pass-2026', password2: 'another' },
  },
  {
    as: null,
    operation: 'POST /api/auth/register',
    json: {
      username: 'noranew',
      email: 'nora@example.org',
      password1: 'a-long-pass-2026',
      password2: 'a-long-pass-2026',
      first_name: 'Nora',
      last_name: 'New',
    },
  },
  { as: null, operation: 'POST /api/auth/login', json: { username: 'noranew', password: 'a-long-pass-2026' } },
  // an organization
  {
    as: 'owner',
    operation: 'POST /api/organizations',
    json: { slug: 'street', name: 'Street images' },
    keep: { organization: 'id' },
  },
  { as: 'owner', operation: 'POST /api/organizations', json: { slug: 'street' } },
  { as: 'owner', operation: 'POST /api/organizations', json: { slug: 'not a slug' } },
  { as: 'owner', operation: 'GET /api/organizations' },
  { as: 'stranger', operation: 'GET /api/organizations/{id}', at: { id: '$organization' } },
  {
    as: 'owner',
    operation: 'PATCH /api/organizations/{id}',
    at: { id: '$organization' },
    json: { description: 'Cars and people' },
  },
  {
    as: 'owner',
    operation: 'POST /api/invitations',
    query: 'org=street',
    json: { email: 'walter@example.org', role: 'worker' },
    keep: { invitation: 'key' },
  },
  {
    as: 'owner',
    operation: 'POST /api/invitations',
    query: 'org=street',
    json: { email: 'walter@example.org', role: 'king' },
  },
  { as: 'owner', operation: 'GET /api/invitations', query: 'org=street' },
  { as: 'worker', operation: 'POST /api/invitations/{key}/accept', at: { key: '$invitation' } },
  { as: 'owner', operation: 'GET /api/memberships', query: 'org=street&sort=id' },
  { as: 'worker', operation: 'GET /api/organizations', query: 'org=unknown' },
  // a project
  {
    as: 'owner',
    operation: 'POST /api/projects',
    json: {
      name: 'Crossings',
      labels: [
        { name: 'car', type: 'rectangle', attributes: [] },
        {
          name: 'person',
          attributes: [
            {
              name: 'pose',
              mutable: true,
              input_type: 'select',
              default_value: 'standing',
              values: ['standing', 'sitting'],
            },
          ],
        },
      ],
    },
    keep: { project: 'id' },
  },
  { as: 'owner', operation: 'POST /api/projects', json: { labels: [] } },
  { as: 'owner', operation: 'POST /api/projects', json: { name: 'Twice', labels: [{ name: 'a' }, { name: 'a' }] } },
  { as: 'owner', operation: 'POST /api/projects', text: '{"name": ' },
  { as: 'owner', operation: 'GET /api/projects' },
  { as: 'stranger', operation: 'GET /api/projects' },
  { as: 'owner', operation: 'GET /api/projects/{id}', at: { id: '$project' } },
  {
    as: 'owner',
    operation: 'GET /api/projects/{id}',
    at: { id: '$project' },
    headers: { Accept: 'application/vnd.cvat+json; version=2.0' },
  },
  { as: 'stranger', operation: 'GET /api/projects/{id}', at: { id: '$project' } },
  { as: 'owner', operation: 'GET /api/projects/{id}', at: { id: 999_999 } },
  {
    as: 'owner',
    operation: 'PATCH /api/projects/{id}',
    at: { id: '$project' },
    json: { bug_tracker: 'https://bugs.example.org/1' },
  },
  { as: 'owner', operation: 'PATCH /api/projects/{id}', at: { id: '$project' }, json: { assignee_id: 999_999 } },
  {
    as: 'owner',
    operation: 'GET /api/labels',
    query: 'project_id=$project',
    keep: { car: 'results.0.id', person: 'results.1.id' },
  },
  { as: 'owner', operation: 'PATCH /api/labels/{id}', at: { id: '$car' }, json: { color: '#2080c0' } },
  { as: 'owner', operation: 'PATCH /api/labels/{id}', at: { id: '$car' }, json: { name: 'person' } },
  { as: 'stranger', operation: 'GET /api/labels/{id}', at: { id: '$car' } },
  // a task with data
  {
    as: 'owner',
    operation: 'POST /api/tasks',
    json: { name: 'Monday', project_id: '$project', segment_size: 2, subset: 'Train' },
    keep: { task: 'id' },
  },
  {
    as: 'owner',
    operation: 'POST /api/tasks',
    json: { name: 'Both', project_id: '$project', labels: [{ name: 'x' }] },
  },
  { as: 'owner', operation: 'POST /api/tasks', json: { name: 'Lost', project_id: 999_999 } },
  { as: 'owner', operation: 'GET /api/tasks/{id}', at: { id: '$task' } },
  { as: 'owner', operation: 'GET /api/tasks/{id}/data/meta', at: { id: '$task' } },
  {
    as: 'owner',
    operation: 'POST /api/tasks/{id}/data/',
    at: { id: '$task' },
    form: { image_quality: '70', 'client_files[0]': 'a.jpg', 'client_files[1]': 'b.jpg', 'client_files[2]': 'c.jpg' },
    keep: { request: 'rq_id' },
  },
  { as: 'owner', operation: 'GET /api/requests/{id}', at: { id: '$request' } },
  { as: 'stranger', operation: 'GET /api/requests/{id}', at: { id: '$request' } },
  { as: 'owner', operation: 'GET /api/requests' },
  { as: 'owner', operation: 'GET /api/tasks/{id}', at: { id: '$task' } },
  {
    as: 'owner',
    operation: 'GET /api/tasks/{id}',
    at: { id: '$task' },
    headers: { Accept: 'application/vnd.cvat+json; version=2.0' },
  },
  { as: 'owner', operation: 'GET /api/tasks/{id}/data/meta', at: { id: '$task' } },
  { as: 'owner', operation: 'PATCH /api/tasks/{id}/data/meta', at: { id: '$task' }, json: { deleted_frames: [2] } },
  {
    as: 'owner',
    operation: 'GET /api/tasks/{id}/data/',
    at: { id: '$task' },
    query: 'type=chunk&quality=compressed&number=0',
  },
  {
    as: 'owner',
    operation: 'GET /api/tasks/{id}/data/',
    at: { id: '$task' },
    query: 'type=chunk&quality=best&number=0',
  },
  {
    as: 'owner',
    operation: 'GET /api/tasks/{id}/data/',
    at: { id: '$task' },
    query: 'type=frame&quality=original&number=9',
  },
  { as: 'owner', operation: 'GET /api/tasks/{id}/preview', at: { id: '$task' } },
  { as: 'owner', operation: 'GET /api/tasks', query: 'name=Monday&sort=-id' },
  { as: 'owner', operation: 'GET /api/tasks', query: 'sort=nonsense' },
  { as: 'owner', operation: 'GET /api/tasks', query: 'filter={"==":[{"var":"nonsense"},1]}' },
  { as: 'owner', operation: 'GET /api/tasks', query: 'page=9' },
  { as: 'owner', operation: 'GET /api/tasks', query: 'search=mon&page_size=1' },
  // jobs
  {
    as: 'owner',
    operation: 'GET /api/jobs',
    query: 'task_id=$task&sort=id',
    keep: { job: 'results.0.id', second: 'results.1.id' },
  },
  { as: 'owner', operation: 'PATCH /api/jobs/{id}', at: { id: '$job' }, json: { assignee: '$worker' } },
  { as: 'worker', operation: 'GET /api/jobs', query: 'state=new' },
  { as: 'worker', operation: 'GET /api/jobs/{id}', at: { id: '$job' } },
  { as: 'worker', operation: 'GET /api/jobs/{id}', at: { id: '$second' } },
  { as: 'worker', operation: 'PATCH /api/jobs/{id}', at: { id: '$job' }, json: { state: 'in progress' } },
  { as: 'worker', operation: 'PATCH /api/jobs/{id}', at: { id: '$job' }, json: { stage: 'acceptance' } },
  { as: 'owner', operation: 'PATCH /api/jobs/{id}', at: { id: '$job' }, json: { state: 'sleeping' } },
  { as: 'owner', operation: 'DELETE /api/jobs/{id}', at: { id: '$job' } },
  { as: 'worker', operation: 'GET /api/jobs/{id}/data/meta', at: { id: '$job' } },
  // annotations
  { as: 'worker', operation: 'GET /api/jobs/{id}/annotations/', at: { id: '$job' } },
  {
    as: 'worker',
    operation: 'PUT /api/jobs/{id}/annotations/',
    at: { id: '$job' },
    json: { shapes: [BOX], tracks: [TRACK], tags: [{ frame: 1, label_id: '$person', attributes: [] }] },
    keep: { shape: 'shapes.0.id' },
  },
  {
    as: 'worker',
    operation: 'PATCH /api/jobs/{id}/annotations/',
    at: { id: '$job' },
    query: 'action=create',
    json: { shapes: [{ ...BOX, frame: 1, label_id: '$person' }] },
  },
  {
    as: 'worker',
    operation: 'PATCH /api/jobs/{id}/annotations/',
    at: { id: '$job' },
    query: 'action=update',
    json: { shapes: [{ ...BOX, id: '$shape', points: [1, 2, 3, 4] }] },
  },
  {
    as: 'worker',
    operation: 'PATCH /api/jobs/{id}/annotations/',
    at: { id: '$job' },
    query: 'action=shrink',
    json: {},
  },
  {
    as: 'worker',
    operation: 'PUT /api/jobs/{id}/annotations/',
    at: { id: '$job' },
    json: { shapes: [{ ...BOX, points: [1, 2, 3] }, { type: 'blob' }] },
  },
  {
    as: 'worker',
    operation: 'PUT /api/jobs/{id}/annotations/',
    at: { id: '$job' },
    json: { shapes: [{ ...BOX, label_id: 999_999 }] },
  },
  { as: 'worker', operation: 'PUT /api/jobs/{id}/annotations/', at: { id: '$second' }, json: {} },
  {
    as: 'worker',
    operation: 'PUT /api/jobs/{id}/annotations/',
    at: { id: '$job' },
    json: {},
    headers: { 'If-Match': '"of-another-state"' },
  },
  { as: 'worker', operation: 'GET /api/jobs/{id}/annotations/', at: { id: '$job' } },
  { as: 'owner', operation: 'GET /api/tasks/{id}/annotations/', at: { id: '$task' } },
  // a review
  {
    as: 'owner',
    operation: 'POST /api/issues',
    json: { job: '$job', frame: 0, position: [1, 2, 3, 4], message: 'Move this box' },
    keep: { issue: 'id' },
  },
  { as: 'owner', operation: 'POST /api/issues', json: { job: '$job', frame: 0, position: [] } },
  { as: 'stranger', operation: 'POST /api/issues', json: { job: '$job', frame: 0, position: [1, 2], message: 'x' } },
  {
    as: 'worker',
    operation: 'POST /api/comments',
    json: { issue: '$issue', message: 'Done' },
    keep: { comment: 'id' },
  },
  { as: 'worker', operation: 'GET /api/comments', query: 'issue_id=$issue&sort=id' },
  { as: 'worker', operation: 'PATCH /api/comments/{id}', at: { id: '$comment' }, json: { message: 'Moved' } },
  { as: 'owner', operation: 'PATCH /api/issues/{id}', at: { id: '$issue' }, json: { resolved: true } },
  { as: 'owner', operation: 'GET /api/issues', query: 'job_id=$job' },
  { as: 'worker', operation: 'DELETE /api/issues/{id}', at: { id: '$issue' } },
  {
    as: 'owner',
    operation: 'PATCH /api/jobs/{id}',
    at: { id: '$job' },
    json: { stage: 'acceptance', state: 'completed' },
  },
  // files
  {
    as: 'owner',
    operation: 'POST /api/tasks/{id}/dataset/export',
    at: { id: '$task' },
    query: 'format=COCO 1.0&save_images=false',
    keep: { export: 'rq_id' },
  },
  { as: 'owner', operation: 'GET /api/requests/{id}', at: { id: '$export' } },
  {
    as: 'owner',
    operation: 'POST /api/tasks/{id}/dataset/export',
    at: { id: '$task' },
    query: 'format=Paper 1.0&save_images=false',
  },
  { as: 'owner', operation: 'POST /api/tasks/{id}/dataset/export', at: { id: '$task' } },
  { as: 'stranger', operation: 'POST /api/tasks/{id}/backup/export', at: { id: '$task' } },
  // webhooks
  {
    as: 'owner',
    operation: 'POST /api/webhooks',
    json: {
      target_url: '$receiver',
      type: 'project',
      project_id: '$project',
      events: ['update:job'],
      description: 'CI',
    },
    keep: { webhook: 'id' },
  },
  {
    as: 'owner',
    operation: 'POST /api/webhooks',
    json: { target_url: 'ftp://x', type: 'project', project_id: '$project', events: ['update:job'] },
  },
  {
    as: 'owner',
    operation: 'POST /api/webhooks',
    json: { target_url: '$receiver', type: 'project', project_id: '$project', events: ['update:moon'] },
  },
  { as: 'stranger', operation: 'GET /api/webhooks/{id}', at: { id: '$webhook' } },
  { as: 'owner', operation: 'GET /api/webhooks/events', query: 'type=project' },
  { as: 'owner', operation: 'POST /api/webhooks/{id}/ping', at: { id: '$webhook' } },
  { as: 'owner', operation: 'GET /api/webhooks/{id}/deliveries', at: { id: '$webhook' } },
  { as: 'owner', operation: 'GET /api/webhooks/{id}', at: { id: '$webhook' } },
  {
    as: 'owner',
    operation: 'GET /api/webhooks/{id}',
    at: { id: '$webhook' },
    headers: { Accept: 'application/vnd.cvat+json; version=2.2' },
  },
  // guides, cloud storages, access tokens
  {
    as: 'owner',
    operation: 'POST /api/guides',
    json: { project_id: '$project', markdown: '# Boxes' },
    keep: { guide: 'id' },
  },
  { as: 'owner', operation: 'POST /api/guides', json: { markdown: 'for nothing' } },
  { as: 'worker', operation: 'GET /api/guides/{id}', at: { id: '$guide' } },
  {
    as: 'owner',
    operation: 'POST /api/cloudstorages',
    json: { provider_type: 'AZURE_CONTAINER', resource: 'x', display_name: 'x', credentials_type: 'ANONYMOUS_ACCESS' },
  },
  { as: 'owner', operation: 'GET /api/cloudstorages' },
  { as: 'owner', operation: 'POST /api/auth/access_tokens', json: { name: 'CI' }, keep: { token: 'id' } },
  { as: 'owner', operation: 'GET /api/auth/access_tokens' },
  { as: 'owner', operation: 'DELETE /api/auth/access_tokens/{id}', at: { id: '$token' } },
  // the end
  { as: 'worker', operation: 'DELETE /api/tasks/{id}', at: { id: '$task' } },
  { as: 'owner', operation: 'DELETE /api/tasks/{id}', at: { id: '$task' } },
  { as: 'owner', operation: 'GET /api/tasks/{id}', at: { id: '$task' } },
  { as: 'admin', operation: 'GET /api/projects' },
  { as: 'owner', operation: 'DELETE /api/projects/{id}', at: { id: '$project' } },
  { as: 'admin', operation: 'DELETE /api/organizations/{id}', at: { id: '$organization' } },
];
