import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Person } from '../../support/given.js';
import { World } from './world.js';

type Json = Record<string, unknown>;
/** Where to read an object, and the path of keys to the relevant part of the response. */
type Place = (world: World) => Promise<{ path: string; as?: Person; part?: readonly (string | number)[] }>;

const keys = (text: string): string[] => text.trim().split(/\s+/);

const BASIC_USER = 'url id username first_name last_name';
const USER = `${BASIC_USER} email groups is_staff is_superuser is_active last_login date_joined has_analytics_access`;
const STORAGES = 'target_storage source_storage';
const PROJECT = `url id name owner assignee guide_id bug_tracker created_date updated_date status dimension organization
  ${STORAGES} tasks labels assignee_updated_date task_subsets`;
const JOB_END = `assignee guide_id dimension bug_tracker status stage state mode frame_count start_frame stop_frame
  data_chunk_size data_compressed_chunk_type data_original_chunk_type created_date updated_date issues labels type
  organization ${STORAGES} assignee_updated_date parent_job_id consensus_replicas`;
const JOB_20 = `url id task_id project_id ${JOB_END}`;
const JOB = `url id task_id task_name project_id project_name ${JOB_END}`;
const TASK_BEGIN = `url id name project_id mode owner assignee bug_tracker created_date updated_date overlap
  segment_size status`;
const TASK_END = `organization ${STORAGES} jobs labels assignee_updated_date validation_mode consensus_enabled`;
const TASK_END_20 = `organization ${STORAGES} labels segments`;
const EMBEDDED_LABEL = 'id name color attributes type sublabels has_parent';
const WEBHOOK = `id url target_url description type content_type is_active enable_ssl created_date updated_date owner`;
const WEBHOOK_END = 'project_id organization events last_status last_delivery_date';
const DELIVERY_BEGIN = 'id webhook_id event status_code redelivery';
const DELIVERY_END = 'created_date updated_date changed_fields request response';
const DELIVERY = `${DELIVERY_BEGIN} ${DELIVERY_END}`;

const first =
  (path: string): Place =>
  () =>
    Promise.resolve({ path, part: ['results', 0] });
const one =
  (path: (world: World) => string): Place =>
  (world) =>
    Promise.resolve({ path: path(world) });
const inside =
  (path: (world: World) => string, ...part: (string | number)[]): Place =>
  (world) =>
    Promise.resolve({ path: path(world), part });

const task = (world: World): string => `/api/tasks/${world.taskId}`;
const bareTask: Place = async (world) => ({ path: `/api/tasks/${(await world.task()).id}` });
const project = (world: World): string => `/api/projects/${world.projectId}`;
const job = (world: World): string => `/api/jobs/${world.jobId}`;
const labels = (world: World): string => `/api/labels?project_id=${world.projectId}`;

const REQUEST =
  'status message id operation progress created_date started_date finished_date expiry_date owner result_url result_id';

/** Every object of the resources: its keys in order, and those of version 2.0 if they differ. */
const OBJECTS: readonly [name: string, place: Place, usual: string, older?: string, newest?: string][] = [
  ['oneself', one(() => '/api/users/self'), USER],
  ['oneself by number', one(({ owner }) => `/api/users/${owner.id}`), USER],
  ['somebody for staff', async ({ owner, admin }) => ({ path: `/api/users/${owner.id}`, as: admin }), USER],
  ['a user in a list', first('/api/users'), BASIC_USER],
  ['an owner', inside(task, 'owner'), BASIC_USER],
  [
    'a task with data',
    one(task),
    `${TASK_BEGIN} data_chunk_size data_compressed_chunk_type guide_id data_original_chunk_type size image_quality data
     dimension subset ${TASK_END}`,
    `${TASK_BEGIN} data_chunk_size data_compressed_chunk_type data_original_chunk_type size image_quality data
     dimension subset ${TASK_END_20}`,
  ],
  [
    'a task without data',
    bareTask,
    `${TASK_BEGIN} guide_id dimension subset ${TASK_END}`,
    `${TASK_BEGIN} dimension subset ${TASK_END_20}`,
  ],
  ['a project', one(project), PROJECT],
  ['its tasks', inside(project, 'tasks'), 'count url'],
  ['a job', one(job), JOB, JOB_20],
  ['its issues', inside(job, 'issues'), 'url count'],
  ['a label of a project', inside(labels, 'results', 0), 'id name color attributes type sublabels project_id parent_id has_parent'],
  [
    'a label of a task',
    async (world) => ({ path: `/api/labels?task_id=${(await world.task()).id}`, part: ['results', 0] }),
    'id name color attributes type sublabels task_id parent_id has_parent',
  ],
  [
    'a skeleton',
    inside(labels, 'results', 1),
    'id name color attributes type sublabels project_id parent_id has_parent svg',
  ],
  ['a joint', inside(labels, 'results', 1, 'sublabels', 0), 'id name color attributes type has_parent'],
  ['an attribute', inside(labels, 'results', 0, 'attributes', 0), 'id name mutable input_type default_value values'],
  ['an organization', one(({ organization }) => `/api/organizations/${organization.id}`), 'id slug name description created_date updated_date contact owner'],
  ['a membership', one(({ membershipId }) => `/api/memberships/${membershipId}`), 'id user organization is_active joined_date role invitation'],
  [
    'an invitation',
    async (world) => ({ path: `/api/invitations/${await world.invitation()}` }),
    'key created_date owner role user organization expired organization_info',
  ],
  ['an issue', first('/api/issues'), 'id frame position job owner assignee created_date updated_date resolved comments'],
  ['a comment', first('/api/comments'), 'id issue owner message created_date updated_date'],
  [
    'a background request',
    first('/api/requests'),
    REQUEST,
    REQUEST,
    `${REQUEST} report quality`,
  ],
  ['what it does', async () => ({ path: '/api/requests', part: ['results', 0, 'operation'] }), 'type target project_id task_id job_id format'],
  ['its owner', async () => ({ path: '/api/requests', part: ['results', 0, 'owner'] }), 'id username'],
  [
    'a cloud storage',
    first('/api/cloudstorages'),
    `id owner manifests created_date updated_date provider_type resource display_name credentials_type
     specific_attributes description organization`,
  ],
  [
    'a function',
    one(({ functionId }) => `/api/functions/${functionId}`),
    `url id provider name description visibility kind owner organization version help_message animated_gif has_agent
     created_date updated_date labels_v2`,
  ],
  ['a guide', async (world) => ({ path: `/api/guides/${(await world.guide()).id}` }), 'id task_id project_id created_date updated_date markdown'],
  ['an access token', first('/api/auth/access_tokens'), 'id name created_date updated_date expiry_date last_used_date read_only owner'],
  [
    'a webhook',
    one(({ webhookId }) => `/api/webhooks/${webhookId}`),
    `${WEBHOOK} ${WEBHOOK_END}`,
    `${WEBHOOK} project organization events last_status last_delivery_date`,
    `${WEBHOOK} ${WEBHOOK_END} api_version ordered retry_schedule timeout rate_limit max_concurrency custom_headers filter
     payload batch_window paused_until disabled_reason`,
  ],
  [
    'a delivery',
    ({ webhookId }) => Promise.resolve({ path: `/api/webhooks/${webhookId}/deliveries`, part: ['results', 0] }),
    `${DELIVERY_BEGIN} attempt request_duration ${DELIVERY_END}`,
    DELIVERY,
    `${DELIVERY_BEGIN} attempt request_duration ${DELIVERY_END} error`,
  ],
  ['a function over HTTP', () => Promise.resolve({ path: '/api/lambda/functions', part: [0] }), 'id kind labels_v2 description name version provider'],
  [
    'a request that annotates',
    async (world) => ({ path: `/api/lambda/requests/${encodeURIComponent(await world.functionRequest())}` }),
    'id function status progress enqueued started ended exc_info',
  ],
  ['the server', one(() => '/api/server/about'), 'name description version logo_url subtitle'],
  ['its plugins', one(() => '/api/server/plugins'), 'GIT_INTEGRATION ANALYTICS MODELS PREDICT'],
  ['formats', one(() => '/api/server/annotation/formats'), 'importers exporters'],
  ['a format', async () => ({ path: '/api/server/annotation/formats', part: ['importers', 0] }), 'name ext version enabled dimension'],
  ['a page', one(() => '/api/tasks'), 'count next previous results'],
]; // prettier-ignore

/** Objects that only version 2.0 nests. */
const OLDER_PARTS: readonly [name: string, place: Place, keys: string][] = [
  ['a label in a project', inside(project, 'labels', 0), EMBEDDED_LABEL],
  ['a label in a task', inside(task, 'labels', 0), EMBEDDED_LABEL],
  ['a label in a job', inside(job, 'labels', 0), EMBEDDED_LABEL],
  ['a segment of a task', inside(task, 'segments', 0), 'start_frame stop_frame jobs'],
  ['a job of a segment', inside(task, 'segments', 0, 'jobs', 0), 'url id assignee status stage state'],
];

/** Responses that only creations return. */
const CREATED: readonly [name: string, make: (world: World) => Promise<Json>, keys: string][] = [
  [
    'an access token',
    (world) => world.token(world.owner) as Promise<object> as Promise<Json>,
    'id name created_date updated_date expiry_date last_used_date read_only owner value',
  ],
  ['a guide', (world) => world.guide(), 'id task_id project_id markdown'],
  [
    'an asset',
    async (world) => {
      const { body, headers } = world.assetForm((await world.guide()).id);
      return (await world.owner.http.post('/api/assets').set(headers).send(body)).body as Json;
    },
    'uuid filename created_date owner guide_id',
  ],
  [
    'a task with storages',
    async (world) => {
      const body = { name: 't', labels: [{ name: 'a' }], source_storage: { location: 'local' } };
      return (await world.make('/api/tasks', body))['source_storage'] ?? {};
    },
    'id location cloud_storage_id',
  ],
];

describe('keys of', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.create();
    await world.queuedRequest(world.owner);
  });
  afterAll(() => world.close());

  async function read(place: Place, version: string): Promise<Json> {
    const { path, as = world.owner, part = [] } = await place(world);
    const { body } = await as.http.get(path).set('Accept', `application/vnd.cvat+json; version=${version}`).expect(200);
    return part.reduce((value, key) => (value as Record<string | number, Json>)[key] ?? {}, body as Json);
  }

  it.each(OBJECTS)('%s', async (_, place, usual, older = usual, newest = usual) => {
    expect(Object.keys(await read(place, '2.2'))).toEqual(keys(newest));
    expect(Object.keys(await read(place, '2.1'))).toEqual(keys(usual));
    expect(Object.keys(await read(place, '2.0'))).toEqual(keys(older));
  });

  it.each(OLDER_PARTS)('%s in version 2.0', async (_, place, expected) => {
    expect(Object.keys(await read(place, '2.0'))).toEqual(keys(expected));
  });

  it.each(CREATED)('%s when created', async (_, make, expected) => {
    expect(Object.keys(await make(world))).toEqual(keys(expected));
  });
});
