import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenPhotos } from '../../support/given-media.js';

/**
 * Each account has one relation to the content of one organization. `src/policy` tests what a scope requires; this
 * tests which scope each route requires, because no two scopes admit the same accounts.
 */
const PEOPLE = {
  L: { groups: [], role: 'worker', is: 'owner of the project, who may only look' },
  A: { groups: ['user'], role: 'worker', is: 'assignee of the project' },
  T: { groups: ['user'], role: 'worker', is: 'assignee of the task' },
  J: { groups: ['user'], role: 'worker', is: 'assignee of the job' },
  C: { groups: ['worker'], role: null, is: 'assignee of another job, from outside' },
  M: { groups: ['user'], role: 'maintainer', is: 'maintainer' },
  W: { groups: ['worker'], role: 'maintainer', is: 'maintainer without the group `user`' },
  S: { groups: ['user'], role: 'supervisor', is: 'supervisor' },
  F: { groups: ['user'], role: null, is: 'owner of everything else and assignee of a third job, who has left' },
} as const;
type Name = keyof typeof PEOPLE;

interface Route {
  /** Verb and path; `{task}` and so on stand for ids. */
  readonly call: string;
  /** A body that is rejected after the permission check, so that nothing changes. */
  readonly body?: object;
  /** The letters of the accounts with permission, in the order of `PEOPLE`. */
  readonly may: string;
}

const routes = (may: string, calls: readonly (string | readonly [string, object])[]): Route[] =>
  calls.map((call) => (typeof call === 'string' ? { call, may } : { call: call[0], body: call[1], may }));

const ROUTES: readonly Route[] = [
  ...routes('MS', [
    ['POST /api/projects?org={org}', { name: '' }],
    ['POST /api/tasks?org={org}', { name: '' }],
    'POST /api/projects/backup?org={org}',
    'POST /api/tasks/backup?org={org}',
  ]),
  ...routes('AM', [['POST /api/tasks?org={org}', { name: '', project_id: '{project}' }]]),
  ...routes('LAM', [
    'GET /api/projects/{project}',
    ['PATCH /api/projects/{project}', {}],
    'GET /api/projects/{project}/preview',
    'POST /api/projects/{project}/dataset/export',
    'POST /api/projects/{project}/backup/export?location=nowhere',
    'GET /api/labels/{label}',
    'GET /api/labels?project_id={project}',
  ]),
  ...routes('LATM', ['GET /api/quality/reports?task_id={task}']),
  ...routes('ATM', [['POST /api/quality/reports', { task_id: '{task}' }]]),
  ...routes('AM', [
    ['PATCH /api/projects/{project}', { name: '' }],
    ['PATCH /api/projects/{project}', { labels: 7 }],
    ['PATCH /api/projects/{project}', { bug_tracker: 7 }],
    'POST /api/projects/{project}/dataset',
    ['PATCH /api/labels/{label}', { name: '' }],
    'DELETE /api/labels/{label}',
  ]),
  ...routes('M', [
    ['PATCH /api/projects/{project}', { assignee_id: 'x' }],
    ['PATCH /api/projects/{project}', { owner_id: 'x' }],
    ['PATCH /api/projects/{project}', { source_storage: 7 }],
    ['PATCH /api/projects/{project}', { name: '', target_storage: 7 }],
    'DELETE /api/projects/{project}',
  ]),
  ...routes('LATM', [
    'GET /api/tasks/{task}',
    ['PATCH /api/tasks/{task}', {}],
    'GET /api/tasks/{task}/preview',
    'GET /api/tasks/{task}/status',
    'GET /api/tasks/{task}/jobs',
    'GET /api/tasks/{task}/annotations',
    'GET /api/tasks/{task}/annotations/revisions',
    'GET /api/tasks/{task}/data?type=frame&number=0&quality=compressed',
    'GET /api/tasks/{task}/data/meta',
    'GET /api/tasks/{task}/validation_layout',
    'POST /api/tasks/{task}/dataset/export',
    'POST /api/tasks/{task}/backup/export?location=nowhere',
    'GET /api/labels?task_id={task}',
    'GET /api/consensus/settings/{consensus}',
    'GET /api/consensus/settings?task_id={task}',
    'GET /api/jobs/{job}/validation_layout',
    ['PATCH /api/jobs/{job}/validation_layout', { frame_selection_method: 7 }],
  ]),
  ...routes('ATM', [
    ['PATCH /api/tasks/{task}', { name: '' }],
    ['PATCH /api/tasks/{task}', { bug_tracker: 7 }],
    ['PATCH /api/tasks/{task}', { subset: 7 }],
    ['PUT /api/tasks/{task}/annotations', { shapes: 7 }],
    ['PATCH /api/tasks/{task}/annotations?action=create', { shapes: 7 }],
    'DELETE /api/tasks/{task}/annotations',
    'POST /api/tasks/{task}/annotations',
    ['POST /api/tasks/{task}/annotations/revisions/1/restore', {}],
    ['POST /api/tasks/{task}/data', { image_quality: 'x' }],
    'DELETE /api/tasks/{task}/data/uploads',
    ['PATCH /api/tasks/{task}/data/meta', { deleted_frames: 7 }],
    ['PATCH /api/tasks/{task}/validation_layout', { disabled_frames: 7 }],
    ['PATCH /api/consensus/settings/{consensus}', { quorum: 'x' }],
    ['POST /api/consensus/merges', { task_id: '{task}' }],
    ['POST /api/consensus/merges', { job_id: '{job}' }],
    'GET /api/tasks/{task}/agreement',
    'GET /api/tasks/{task}/agreement/csv',
    'POST /api/tasks/{task}/agreement',
    ['PATCH /api/jobs/{job}', { stage: 'x' }],
    ['PATCH /api/jobs/{job}', { assignee: 'x' }],
    ['PATCH /api/jobs/{job}', { state: 'x', stage: 'x' }],
    'DELETE /api/issues/{issue}',
  ]),
  ...routes('AM', [
    ['PATCH /api/tasks/{task}', { owner_id: 'x' }],
    ['PATCH /api/tasks/{task}', { assignee_id: 'x' }],
    ['PATCH /api/tasks/{task}', { project_id: 'x' }],
    ['PATCH /api/tasks/{task}', { subset: 7, assignee_id: 'x' }],
    'DELETE /api/tasks/{task}',
  ]),
  ...routes('M', [
    ['PATCH /api/tasks/{task}', { target_storage: 7 }],
    ['POST /api/jobs', { task_id: '{task}', type: 'ground_truth', frame_selection_method: 7 }],
    'DELETE /api/jobs/{job}',
  ]),
  ...routes('LATJM', [
    'GET /api/jobs/{job}',
    ['PATCH /api/jobs/{job}', {}],
    'GET /api/jobs/{job}/preview',
    'GET /api/jobs/{job}/annotations',
    'GET /api/jobs/{job}/annotations/revisions',
    'GET /api/jobs/{job}/data?type=frame&number=0&quality=compressed',
    'GET /api/jobs/{job}/data/meta',
    'GET /api/labels?job_id={job}',
    'POST /api/jobs/{job}/dataset/export',
    'GET /api/issues/{issue}',
    'GET /api/comments/{comment}',
    'GET /api/guides/{guide}',
  ]),
  ...routes('LATCM', [
    'GET /api/jobs/{crowd}',
    ['PATCH /api/jobs/{crowd}', {}],
    'GET /api/jobs/{crowd}/preview',
    'GET /api/jobs/{crowd}/annotations',
    'GET /api/jobs/{crowd}/annotations/revisions',
    'GET /api/jobs/{crowd}/data?type=frame&number=1&quality=compressed',
    'GET /api/jobs/{crowd}/data/meta',
    'GET /api/labels?job_id={crowd}',
  ]),
  ...routes('LATM', ['POST /api/jobs/{crowd}/dataset/export', 'GET /api/jobs/{crowd}/validation_layout']),
  ...routes('ATJM', [
    ['PATCH /api/jobs/{job}', { state: 'x' }],
    ['PUT /api/jobs/{job}/annotations', { shapes: 7 }],
    ['PATCH /api/jobs/{job}/annotations?action=create', { shapes: 7 }],
    'DELETE /api/jobs/{job}/annotations',
    'POST /api/jobs/{job}/annotations',
    ['POST /api/jobs/{job}/annotations/revisions/1/restore', {}],
    ['PATCH /api/jobs/{job}/data/meta', { deleted_frames: 7 }],
    ['POST /api/issues?org={org}', { job: '{job}', frame: 'x' }],
    ['PATCH /api/issues/{issue}', { resolved: 7 }],
    ['POST /api/comments?org={org}', { issue: '{issue}', message: 7 }],
    ['PATCH /api/comments/{comment}', { message: 7 }],
    'DELETE /api/comments/{comment}',
  ]),
  ...routes('ATCM', [
    ['PATCH /api/jobs/{crowd}', { state: 'x' }],
    ['PUT /api/jobs/{crowd}/annotations', { shapes: 7 }],
    'DELETE /api/jobs/{crowd}/annotations',
    'POST /api/jobs/{crowd}/annotations',
    ['PATCH /api/jobs/{crowd}/data/meta', { deleted_frames: 7 }],
  ]),
  ...routes('ATM', [['PATCH /api/jobs/{crowd}', { stage: 'x' }]]),
  ...routes('LATM', ['GET /api/jobs/{third}', 'GET /api/labels?job_id={third}']),
  // Without an organization in the request, what counts is who works on the object, member or not.
  ...routes('ATJF', [
    ['POST /api/issues', { job: '{job}', frame: 'x' }],
    ['POST /api/issues?org=', { job: '{job}', frame: 'x' }],
    ['POST /api/comments', { issue: '{issue}', message: 7 }],
  ]),
  // Nobody can create objects here by naming another organization, even their own.
  ...routes('', [
    ['POST /api/tasks?org={own}', { name: '', project_id: '{project}' }],
    ['POST /api/webhooks?org={own}', { type: 'project', project_id: '{project}', target_url: 7 }],
    ['POST /api/guides?org={own}', { project_id: '{project}', markdown: 7 }],
    ['POST /api/issues?org={own}', { job: '{job}', frame: 'x' }],
    ['POST /api/comments?org={own}', { issue: '{issue}', message: 7 }],
  ]),
  ...routes('A', [['POST /api/guides', { project_id: '{project}', markdown: 7 }]]),
  ...routes('AM', [
    ['POST /api/guides?org={org}', { project_id: '{project}', markdown: 7 }],
    ['PATCH /api/guides/{guide}', { markdown: 7 }],
    'DELETE /api/guides/{guide}',
  ]),
  ...routes('LMW', [
    'GET /api/webhooks/{webhook}',
    'GET /api/webhooks/{webhook}/deliveries',
    'GET /api/webhooks/{webhook}/deliveries/{delivery}',
  ]),
  ...routes('MW', [
    ['POST /api/webhooks?org={org}', { type: 'organization', target_url: 7 }],
    ['PATCH /api/webhooks/{webhook}', { target_url: 7 }],
    ['PUT /api/webhooks/{webhook}', { target_url: 7 }],
    ['POST /api/webhooks/{webhook}/redeliveries', { from: 7 }],
    'DELETE /api/webhooks/{webhook}',
  ]),
  // A maintainer needs the group `user` to see the project.
  ...routes('M', [['POST /api/webhooks?org={org}', { type: 'project', project_id: '{project}', target_url: 7 }]]),
  ...routes('MS', [
    'GET /api/cloudstorages/{storage}',
    'GET /api/cloudstorages/{storage}/actions',
    'GET /api/cloudstorages/{storage}/content-v2?page_size=x',
  ]),
  ...routes('M', [
    ['POST /api/cloudstorages?org={org}', { provider_type: 7 }],
    ['PATCH /api/cloudstorages/{storage}', { display_name: 7 }],
    'DELETE /api/cloudstorages/{storage}',
  ]),
  ...routes('LATJMWS', ['GET /api/memberships/{membership}', ['PATCH /api/memberships/{membership}', {}]]),
  ...routes('M', [['PATCH /api/memberships/{membership}', { role: 'x' }]]),
  ...routes('TM', ['DELETE /api/memberships/{membership}']),
  ...routes('MW', [['PATCH /api/organizations/{organization}', { slug: '' }]]),
  ...routes('', [
    'DELETE /api/organizations/{organization}',
    ['POST /api/organizations/{organization}/transfer', { user_id: 'x' }],
    ['POST /api/invitations', { role: 'worker', email: 7 }],
    ['POST /api/invitations?org={org}', { role: 'maintainer', email: 7 }],
    ['POST /api/webhooks', { type: 'organization', target_url: 7 }],
    ['POST /api/webhooks?org={org}', { type: 'server', target_url: 7 }],
  ]),
  ...routes('M', [['POST /api/invitations?org={org}', { role: 'worker', email: 7 }]]),
  ...routes('LATJCMWSF', [['PATCH /api/users/{self}', { first_name: 7 }]]),
  ...routes('ATJMSF', ['GET /api/server/share']),
];

describe('permissions of routes', () => {
  let app: TestApp;
  const people = new Map<string, Person>();
  let ids: Readonly<Record<string, string | number>>;

  beforeAll(async () => {
    app = await createTestApp();
    const given = new Given(app);
    for (const [name, { groups }] of Object.entries(PEOPLE)) people.set(name, await given.person({ groups }));
    ids = await fill(app, given, people);
  });
  afterAll(() => app.close());

  const filled = (text: string, person: Person): string =>
    text.replace(/"?\{(\w+)\}"?/g, (whole, name: string) => {
      const id = name === 'self' ? person.id : ids[name];
      if (id === undefined) throw new Error(`what is ${whole}?`);
      return String(id);
    });

  it.each(ROUTES.map(({ call, body, may }) => [call, body === undefined ? '' : JSON.stringify(body), may]))(
    '%s %s: %s',
    async (call = '', body = '', may = '') => {
      const [verb = '', address = ''] = call.split(' ');
      const answers: Record<string, number> = {};
      for (const [name, person] of people) {
        const request = person.http[verb.toLowerCase() as 'get'](filled(address, person)).set('Accept', '*/*');
        // No object has this entity tag, so a permitted deletion fails with 412.
        if (verb === 'DELETE') void request.set('If-Match', '"nothing"');
        if (body !== '') void request.type('json').send(filled(body, person));
        answers[name] = (await request).status;
      }
      const refusals = address.startsWith('/api/organizations') ? [403, 404] : [403];
      const allowed = Object.keys(answers).filter((name) => !refusals.includes(answers[name] ?? 0));
      expect({ allowed: allowed.join(''), answers }).toEqual({ allowed: may, answers });
      expect(Math.max(...Object.values(answers))).toBeLessThan(500);
    },
  );
});

/** Fills one organization with one object of each type. */
async function fill(
  app: TestApp,
  given: Given,
  people: ReadonlyMap<string, Person>,
): Promise<Readonly<Record<string, string | number>>> {
  const person = (name: Name): Person => people.get(name) as Person;
  const [owner, former] = [await given.person(), person('F')];
  const members = Object.entries(PEOPLE).flatMap(([name, { role }]) =>
    role === null ? [] : [{ person: person(name as Name), role }],
  );
  const { id: organization, slug } = await given.organization(owner, members);
  const task = (await givenPhotos(app, former, 3, { segment_size: 1 })).id;
  const [job = 0, crowd = 0, third = 0] = (await app.db.query<{ id: number }>(sql`select id from job where task_id = ${task} order by id`)).map(({ id }) => id); // prettier-ignore
  const make = async (path: string, body: object): Promise<number> => {
    const answer = await former.http.post(path).send(body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return (answer.body as { id: number }).id;
  };
  const project = await make('/api/projects', { name: 'p', labels: [{ name: 'car' }] });
  const issue = await make('/api/issues', { job, frame: 0, position: [1, 2], message: 'look' });
  const comment = await make('/api/comments', { issue, message: 'seen' });
  const guide = await make('/api/guides', { project_id: project, markdown: '# how' });
  const webhook = await make('/api/webhooks', {
    type: 'project', project_id: project, target_url: 'http://example.org', events: ['update:project'],
  }); // prettier-ignore
  const one = async (statement: ReturnType<typeof sql>): Promise<number> =>
    (await app.db.query<{ id: number }>(statement))[0]?.id ?? 0;
  const storage = await one(sql`
    insert into cloud_storage (provider_type, resource, display_name, credentials_type, owner_id, organization_id, created_date, updated_date)
    values ('AWS_S3_BUCKET', 'r', 's', 'ANONYMOUS_ACCESS', ${former.id}, ${organization}, now(), now()) returning id`);
  await app.db.query(sql`update project set owner_id = ${person('L').id}, assignee_id = ${person('A').id},
    organization_id = ${organization} where id = ${project}`);
  await app.db.query(sql`update task set assignee_id = ${person('T').id}, project_id = ${project},
    organization_id = ${organization} where id = ${task}`);
  await app.db.query(sql`update job set assignee_id = case id when ${job} then ${person('J').id}::int
    when ${crowd} then ${person('C').id}::int else ${former.id}::int end where task_id = ${task}`);
  const consensus = await one(sql`insert into consensus_settings (task_id) values (${task}) returning id`);
  await app.db.query(sql`update webhook set organization_id = ${organization} where id = ${webhook}`);
  return {
    org: slug,
    own: (await given.organization(person('A'), [{ person: person('M'), role: 'maintainer' }])).slug,
    organization,
    project,
    task,
    job,
    crowd,
    third,
    consensus,
    issue,
    comment,
    guide,
    webhook,
    storage,
    delivery: 1,
    label: await one(sql`select id from label where project_id = ${project}`),
    membership: await one(sql`select id from membership where user_id = ${person('T').id}`),
  };
}
