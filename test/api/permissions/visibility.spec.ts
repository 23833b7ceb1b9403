import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { raw, sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

/** Requester and organization: the columns of the table of visible rows. */
const COLUMNS = [
  'admin',
  'admin org',
  'person',
  'person sandbox',
  'maintainer org',
  'supervisor org',
  'member org',
  'powerless maintainer org',
  'outsider org',
] as const;
type Column = (typeof COLUMNS)[number];

const QUERY: Readonly<Record<string, string>> = { org: '?org=seen&page_size=all', sandbox: '?org=&page_size=all' };

/**
 * Ids of the rows: 1 and 3 belong to `person`, 1 and 2 to the organization; 4 to nobody and to another organization.
 */
type Shown = readonly number[] | 403;
const ALL = [1, 2, 3, 4];

/** The same for all resources with an owner. The maintainer without a group counts as any other member. */
const OWNED: Readonly<Record<Column, Shown>> = {
  admin: ALL,
  'admin org': [1, 2],
  person: [1, 3],
  'person sandbox': [3],
  'maintainer org': [1, 2],
  'supervisor org': [],
  'member org': [1],
  'powerless maintainer org': [],
  'outsider org': 403,
};

const LISTS: Readonly<Record<string, Readonly<Record<Column, Shown>>>> = {
  projects: OWNED,
  tasks: OWNED,
  'consensus/settings': OWNED,
  jobs: OWNED,
  issues: OWNED,
  comments: OWNED,
  labels: OWNED,
  webhooks: { ...OWNED, 'person sandbox': [3] },
  cloudstorages: { ...OWNED, 'supervisor org': [1, 2] },
};

/** For lists of related people: accounts by name, organizations by slug, the rest by the account they are about. */
const PEOPLE = ['maintainer', 'supervisor', 'person', 'powerless', 'invited'];
const ACTIVE = PEOPLE.filter((name) => name !== 'invited');
const OF_PEOPLE: Readonly<Record<string, Readonly<Partial<Record<Column, readonly string[] | 403>>>>> = {
  users: {
    'admin org': PEOPLE,
    person: ['person'],
    'person sandbox': ['person'],
    'maintainer org': PEOPLE,
    'member org': PEOPLE,
    'powerless maintainer org': PEOPLE,
    'outsider org': 403,
  },
  organizations: {
    admin: ['other', 'seen'],
    'admin org': ['other', 'seen'],
    person: ['seen'],
    'member org': ['seen'],
    'outsider org': [],
  },
  memberships: {
    admin: [...PEOPLE, 'owner of other'],
    'admin org': PEOPLE,
    person: ['person'],
    'maintainer org': PEOPLE,
    'supervisor org': ACTIVE,
    'member org': ACTIVE,
    'powerless maintainer org': PEOPLE,
    'outsider org': 403,
  },
  invitations: {
    admin: ['invited', 'person'],
    'admin org': ['invited', 'person'],
    person: ['person'],
    'person sandbox': [],
    'maintainer org': ['invited', 'person'],
    'supervisor org': [],
    'member org': ['person'],
    'powerless maintainer org': [],
    'outsider org': 403,
  },
};

/** A row of any list. */
interface Row {
  readonly id: number;
  readonly username?: string;
  readonly slug?: string;
  readonly user?: { readonly username: string };
}

describe('visibility in lists', () => {
  let app: TestApp;
  const people: Record<string, Person> = {};

  beforeAll(async () => {
    app = await createTestApp();
    const given = new Given(app);
    const groups: Readonly<Record<string, string[]>> = { admin: ['admin'], powerless: [] };
    for (const name of ['admin', 'owner of other', 'outsider', ...PEOPLE])
      people[name] = await given.person({ username: name, groups: groups[name] ?? ['user'] });
    await app.db.query(raw(rows(people['person']?.id ?? 0, people['owner of other']?.id ?? 0)), { dynamic: true });
    const roles = { maintainer: 'maintainer', supervisor: 'supervisor', person: 'worker', powerless: 'maintainer' };
    for (const [name, role] of Object.entries({ ...roles, invited: 'worker' }))
      await app.db.query(sql`insert into membership (user_id, organization_id, is_active, role)
        values (${people[name]?.id}, 1, ${name !== 'invited'}, ${role})`);
    for (const name of ['person', 'invited'])
      await app.db.query(sql`insert into invitation (key, owner_id, membership_id, created_date)
        select ${name}, null, id, now() from membership where user_id = ${people[name]?.id}`);
  });

  afterAll(() => app.close());

  async function shown(list: string, column: Column): Promise<Row[] | 403> {
    const words = column.split(' ');
    const context = words.at(-1) ?? '';
    const name = { member: 'person' }[words[0] ?? ''] ?? words[0] ?? '';
    const answer = await people[name]?.http.get(`/api/${list}${QUERY[context] ?? '?page_size=all'}`);
    if (answer?.status === 403) {
      expect(answer.body).toEqual({ detail: 'You do not have permission to perform this action.' });
      return 403;
    }
    expect(answer?.status).toBe(200);
    return answer?.body.results as Row[];
  }

  const cases = <T>(table: Readonly<Record<string, Readonly<Partial<Record<Column, T>>>>>): [string, Column, T][] =>
    Object.entries(table).flatMap(([list, row]) =>
      Object.entries(row).map(([column, wanted]): [string, Column, T] => [list, column as Column, wanted]),
    );

  it.each(cases(LISTS))('%s to %s: %j', async (list, column, wanted) => {
    const found = await shown(list, column);
    expect(found === 403 ? 403 : found.map(({ id }) => id).sort((a, b) => a - b)).toEqual(wanted);
  });

  it.each(cases(OF_PEOPLE))('%s to %s: %j', async (list, column, wanted) => {
    const found = await shown(list, column);
    const names = ({ username, slug, user }: Row): string => username ?? slug ?? user?.username ?? '';
    expect(found === 403 ? 403 : found.map(names).sort()).toEqual(wanted === 403 ? 403 : [...wanted].sort());
  });
});

/** Rows 1 to 4 of everything that has an owner. */
function rows(person: number, other: number): string {
  const row = (id: number): string => {
    const owner = id === 1 || id === 3 ? person : other;
    const organization = { 1: '1', 2: '1', 4: '2' }[id] ?? 'null';
    const project = `'p', ${owner}, ${organization}, now(), now()`;
    return `
      insert into project (id, name, owner_id, organization_id, created_date, updated_date) values (${id}, ${project});
      insert into label (id, project_id, name) values (${id}, ${id}, 'label');
      insert into media_data (id, size) values (${id}, 10);
      insert into task (id, name, project_id, owner_id, organization_id, data_id, created_date, updated_date)
        values (${id}, 't', ${id}, ${owner}, ${organization}, ${id}, now(), now());
      insert into consensus_settings (id, task_id) values (${id}, ${id});
      insert into segment (id, task_id, start_frame, stop_frame, chunks_updated_date) values (${id}, ${id}, 0, 9, now());
      insert into job (id, segment_id, task_id, created_date, updated_date) values (${id}, ${id}, ${id}, now(), now());
      insert into issue (id, job_id, frame, position, owner_id) values (${id}, ${id}, 0, '{1}', ${owner});
      insert into comment (id, issue_id, owner_id, created_date, updated_date) values (${id}, ${id}, ${owner}, now(), now());
      insert into webhook (id, target_url, type, active_since, api_version, owner_id, project_id, organization_id, events, created_date, updated_date)
        values (${id}, 'http://h', 'project', now(), '2.1', ${owner}, ${id}, ${organization}, '{update:task}', now(), now());
      insert into cloud_storage (id, provider_type, resource, display_name, credentials_type, owner_id, organization_id, created_date, updated_date)
        values (${id}, 'AWS_S3_BUCKET', 'r${id}', 's', 'ANONYMOUS_ACCESS', ${owner}, ${organization}, now(), now());`;
  };
  return `
    insert into organization (id, slug, name, owner_id, created_date, updated_date)
      values (1, 'seen', 'seen', null, now(), now()), (2, 'other', 'other', ${other}, now(), now());
    insert into membership (user_id, organization_id, is_active, role) values (${other}, 2, true, 'owner');
    ${[1, 2, 3, 4].map(row).join('')}`;
}
