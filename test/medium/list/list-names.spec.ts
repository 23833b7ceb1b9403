import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, escapeLiteral } from 'pg';
import { stampsOf } from '../../../src/core/list/list-counts.js';
import { listQuery } from '../../../src/core/list/list-query.js';
import { keyOf, type ListField, type ListSpec, NEVER, sortableNames } from '../../../src/core/list/list-spec.js';
import { counting, pageOf, wanted } from '../../../src/core/list/list-statement.js';
import { raw, type Sql, sql } from '../../../src/engines/sql/sql.js';
import { column, namesIn, Table } from '../../../src/engines/sql/tables.js';
import { accessTokenList } from '../../../src/modules/auth/tokens/access-token.service.js';
import { revisionList } from '../../../src/modules/annotations/history/revision.repository.js';
import { functionList } from '../../../src/modules/functions/function.repository.js';
import { cloudStorageList } from '../../../src/modules/cloudstorages/cloud-storage.repository.js';
import { commentList } from '../../../src/modules/comments/comment.repository.js';
import { consensusSettingsList } from '../../../src/modules/consensus/consensus.repository.js';
import { auditList } from '../../../src/modules/events/audit/audit.dto.js';
import { invitationList } from '../../../src/modules/invitations/invitation.repository.js';
import { issueList } from '../../../src/modules/issues/issue.repository.js';
import { jobList } from '../../../src/modules/jobs/job.list.js';
import { IS_TOP_LEVEL, labelList, ownedBy } from '../../../src/modules/labels/label.repository.js';
import { membershipList } from '../../../src/modules/memberships/membership.repository.js';
import { organizationList } from '../../../src/modules/organizations/organization.repository.js';
import { projectList } from '../../../src/modules/projects/project.repository.js';
import { qualityConflictList } from '../../../src/modules/quality/conflicts/quality-conflict.service.js';
import { qualityReportList } from '../../../src/modules/quality/reports/quality-report.dto.js';
import { qualityRequirementList } from '../../../src/modules/quality/requirements/quality-requirement.dto.js';
import { qualitySettingsList } from '../../../src/modules/quality/settings/quality-settings.dto.js';
import { requestList } from '../../../src/modules/requests/request.dto.js';
import { taskList } from '../../../src/modules/tasks/task.list.js';
import { accountList, userList } from '../../../src/modules/users/user.dto.js';
import { quarantineList } from '../../../src/modules/events/supervision/supervision.dto.js';
import { deliveryList } from '../../../src/modules/webhooks/log/delivery.repository.js';
import { webhookList } from '../../../src/modules/webhooks/subscriptions/webhook.repository.js';
import type { Actor } from '../../../src/shared/policy/actor.js';
import { commentPolicy } from '../../../src/shared/policy/comment.policy.js';
import { issuePolicy, visibleInJob } from '../../../src/shared/policy/issue.policy.js';
import { jobPolicy } from '../../../src/shared/policy/job.policy.js';
import { organizationPolicy } from '../../../src/shared/policy/organization.policy.js';
import { projectPolicy } from '../../../src/shared/policy/project.policy.js';
import { taskPolicy } from '../../../src/shared/policy/task.policy.js';
import { userPolicy } from '../../../src/shared/policy/user.policy.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

type Visible = (actor: Actor) => Sql;

/** Lists whose counts are cached, with the conditions of their routes. */
const CACHED: Readonly<Record<string, readonly [spec: ListSpec, ...conditions: Visible[]]>> = {
  userList: [userList, userPolicy.visible],
  accountList: [accountList, userPolicy.visible],
  organizationList: [organizationList, organizationPolicy.visible],
  projectList: [projectList, projectPolicy.visible],
  taskList: [taskList, taskPolicy.visible],
  jobList: [jobList, jobPolicy.visible, () => sql`${column('job.task_id')} = ${1}`],
  labelList: [
    labelList,
    projectPolicy.visible,
    taskPolicy.visible,
    () => sql`${IS_TOP_LEVEL} and ${ownedBy({ kind: 'task', id: 1 })}`,
    () => ownedBy({ kind: 'project', id: 1 }),
  ],
  issueList: [issueList, issuePolicy.visible, (actor) => visibleInJob(actor, issuePolicy.visible(actor))],
  commentList: [commentList, commentPolicy.visible, (actor) => visibleInJob(actor, commentPolicy.visible(actor))],
};

/** Lists of tables without stamps. */
const COUNTED_EACH_TIME: Readonly<Record<string, ListSpec>> = {
  accessTokenList,
  revisionList,
  cloudStorageList,
  functionList,
  invitationList,
  membershipList,
  quarantineList,
  requestList,
  deliveryList,
  webhookList,
  auditList,
  consensusSettingsList,
  qualityConflictList,
  qualityReportList,
  qualityRequirementList,
  qualitySettingsList,
};

const SPECS = Object.entries({
  ...COUNTED_EACH_TIME,
  ...Object.fromEntries(Object.entries(CACHED).map(([name, [spec]]) => [name, spec])),
});

const PERSON = { id: 3, privilege: 'user', context: { kind: 'any' } };
const ORGANIZATION = { kind: 'organization', slug: 'o', id: 4, ownerId: 5, role: 'worker' };
const ACTORS = [PERSON, { ...PERSON, privilege: 'admin' }, { ...PERSON, context: ORGANIZATION }] as unknown as Actor[];

const readSource = (file: string): string => (file.endsWith('.ts') ? readFileSync(file, 'utf8') : '');

/** One query for each thing that a client can ask of a list. */
function* queriesOf(spec: ListSpec): Generator<Record<string, string>> {
  yield {};
  if (spec.search.length > 0) yield { search: 'a' };
  for (const [name, field] of Object.entries(spec.fields)) {
    const value = valueOf(field);
    yield { filter: JSON.stringify({ '==': [{ var: name }, value] }) };
    yield { filter: JSON.stringify({ or: [{ var: name }, { '<=': [{ var: name }, value] }] }) };
    if (spec.simple.includes(name)) yield { [name]: String(value) };
    if (sortableNames(spec).includes(name)) yield { sort: name };
  }
}

function valueOf({ kind, choices }: ListField): string | number | boolean {
  if (kind === 'integer') return 1;
  if (kind === 'boolean') return true;
  return kind === 'timestamp' ? '2026-01-01' : (choices?.[0] ?? 'a');
}

/** The statement with its values as literals, because a view has no parameters. */
function literal(statement: Sql): string {
  const { text, values } = statement.compile();
  return text.replace(/\$(\d+)/g, (_, number: string) => literalOf(values[Number(number) - 1]));
}

function literalOf(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return escapeLiteral(`{${value.map((item) => JSON.stringify(item)).join(',')}}`);
  return value instanceof Date ? escapeLiteral(value.toISOString()) : escapeLiteral(String(value));
}

describe('the tables and columns that lists name', () => {
  let database: TestDatabase;
  let client: Client;
  let stampNames: Set<string>;
  /** Whether a column can be null. */
  let nullable: Map<string, boolean>;

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    const stamps = await client.query<{ name: string }>('select distinct table_name as name from table_stamp');
    stampNames = new Set(stamps.rows.map(({ name }) => name));
    const columns = await client.query<{ name: string; nullable: boolean }>(`
      select table_name || '.' || column_name as name, is_nullable = 'YES' as nullable
      from information_schema.columns where table_schema = 'public'`);
    nullable = new Map(columns.rows.map((row) => [row.name, row.nullable]));
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  /** What PostgreSQL says that the statement reads: tables, and columns as `table.column`. */
  async function readBy(statement: Sql): Promise<Set<string>> {
    await client.query(`begin; create view list_view as ${literal(statement)}`);
    const { rows } = await client.query<{ table: string; column: string | null }>(`
      select distinct refobjid::regclass::text as table, attname::text as column
      from pg_depend join pg_rewrite on pg_rewrite.oid = objid and classid = 'pg_rewrite'::regclass
        left join pg_attribute on attrelid = refobjid and attnum = refobjsubid and attnum > 0
      where ev_class = 'list_view'::regclass and refclassid = 'pg_class'::regclass and refobjid <> ev_class`);
    await client.query('rollback');
    return new Set(rows.flatMap((row) => [row.table, ...(row.column === null ? [] : [`${row.table}.${row.column}`])]));
  }

  const stamped = (names: Iterable<string>): string[] => [...names].filter((name) => stampNames.has(name)).toSorted();

  it('are those of every list', () => {
    const declared = readdirSync('src/modules', { recursive: true, encoding: 'utf8' }).flatMap((file) =>
      [...readSource(`src/modules/${file}`).matchAll(/const (\w+): ListSpec\b/g)].map(([, name]) => name),
    );
    expect(SPECS.map(([name]) => name).toSorted()).toEqual(declared.toSorted());
  });

  it.each(Object.entries(CACHED))('are those that its count depends on: %s', async (_, [spec, ...routes]) => {
    for (const visible of routes) {
      for (const actor of ACTORS) {
        for (const query of actor === ACTORS[0] ? queriesOf(spec) : [{}]) {
          const { conditions, search } = listQuery(spec, query);
          for (const answers of [[], [1], [0, 1, 1, 1, 1, 1, 1, 1, 1]]) {
            const found = search.map((term) => term.condition(answers).condition);
            const organization = spec.organization === undefined ? [] : [sql`${spec.organization} = ${1}`];
            const where = wanted(spec, visible(actor), [...conditions, ...found, ...organization]);
            const statement = counting(spec, where)(0);
            const read = await readBy(statement);
            const { tables, columns } = stampsOf(statement);
            expect([query, tables.toSorted()]).toEqual([
              query,
              [...read].filter((name) => !name.includes('.')).toSorted(),
            ]);
            // A tally is summed each time.
            expect(tables.filter((table) => !stampNames.has(table) && table !== spec.tally?.table.name)).toEqual([]);
            expect([query, stamped(columns)]).toEqual([query, stamped([...read].filter((name) => name.includes('.')))]);
          }
        }
      }
    }
  });

  it.each(SPECS)('are in the database: %s', async (name, spec) => {
    const everything = raw('true');
    for (const query of queriesOf(spec)) {
      const { conditions, search, order } = listQuery(spec, query);
      const found = search.map((term) => term.condition([]).condition);
      const where = wanted(spec, everything, [...conditions, ...found]);
      const window = { offset: 0, size: 10 };
      for (const few of [false, true]) {
        const total = sql`select 1 as list_count`;
        const asked = { ...where, order, window, few, walk: false };
        await expect(readBy(pageOf(spec, { select: keyOf(spec), total, ...asked }))).resolves.toBeDefined();
      }
    }
    const { tables } = stampsOf(counting(spec, wanted(spec, everything, []))(0));
    const hasStamp = (table: string): boolean => stampNames.has(table) || table === spec.tally?.table.name;
    // Without conditions, a tally is read instead of the table.
    expect(tables.length > 0 && tables.every(hasStamp)).toBe(name in CACHED || spec.tally !== undefined);
  });

  describe.each(SPECS.filter(([, { rows }]) => rows !== undefined))('of a long list: %s', (_, spec) => {
    const { table, joins } = spec.rows ?? { table: new Table('', ''), joins: [] };
    const tableOf = (alias: string): string =>
      [table, ...joins.map((one) => one.table)].find((one) => one.alias === alias)?.name ?? '?';
    const nameOf = (fragment: Sql): string => {
      const [first, ...others] = namesIn(fragment).columns;
      if (first === undefined || others.length > 0) throw new Error('not one column');
      return `${tableOf(first.alias)}.${first.name}`;
    };
    const isNullable = (fragment: Sql): boolean | undefined => nullable.get(nameOf(fragment));

    it('are joined without removing or repeating rows', async () => {
      for (const { left, key, reference } of joins) {
        expect([nameOf(reference), isNullable(reference)]).toEqual([nameOf(reference), left]);
        const [referred = '', name = ''] = nameOf(key).split('.');
        const { rows } = await client.query(
          `select from pg_index join pg_attribute on attrelid = indrelid and attnum = indkey[0]
           where indrelid = $1::regclass and attname = $2 and indisunique and indnatts = 1`,
          [referred, name],
        );
        expect([nameOf(key), rows.length > 0]).toEqual([nameOf(key), true]);
      }
    });

    it('have a value unless their field declares when it is missing', () => {
      for (const [name, field] of Object.entries(spec.fields)) {
        if (field.through === undefined || field.missing === undefined) continue;
        const join = joins.find((one) => one.table.alias === namesIn(field.column).columns[0]?.alias);
        if (field.missing === NEVER) {
          expect([name, isNullable(field.column), join?.left]).toEqual([name, false, false]);
          continue;
        }
        const { text } = field.missing.compile();
        if (text === `${field.column.compile().text} is null`) continue;
        expect([name, text, isNullable(field.column)]).toEqual([
          name,
          `${join?.reference.compile().text} is null`,
          false,
        ]);
      }
    });

    it('can be counted with a tally', () => {
      const { tally } = spec;
      if (tally === undefined) return;
      for (const name of tally.dates) expect([name, isNullable(column(name))]).toEqual([name, false]);
      for (const name of tally.columns) {
        expect([name, nullable.get(name.replace(`${table.alias}.`, `${tally.table.name}.`))]).toEqual([
          name,
          isNullable(column(name)),
        ]);
      }
    });
  });
});
