import { or, raw, type Sql, sql } from '../../engines/sql/sql.js';
import { columns } from '../../engines/sql/tables.js';
import { type Actor, contextOrganization, hasPrivilege, isAdmin } from './actor.js';
import { type JobFacts, jobPolicy } from './job.policy.js';
import type { Policy } from './policy.js';
import { isOneOf, maintains } from './rules.js';
import { type TaskFacts, taskPolicy } from './task.policy.js';

export type LambdaScope =
  'list:functions' | 'view:functions' | 'call:online' | 'call:offline' | 'view:request' | 'cancel:request';

/** What a function works on. */
export interface LambdaFacts {
  readonly task: TaskFacts;
  /** Null: the whole task. */
  readonly job: JobFacts | null;
  /** Only for existing requests. */
  readonly requesterId?: number | null;
}

type Rule = (actor: Actor, facts: LambdaFacts) => boolean;

const mayRead: Rule = (actor, { task, job }) =>
  job === null ? taskPolicy.allow('view:data', actor, task) : jobPolicy.allow('view:data', actor, job);

const mayAnnotate: Rule = (actor, { task, job }) =>
  job === null
    ? taskPolicy.allow('update:annotations', actor, task)
    : jobPolicy.allow('update:annotations', actor, job);

const isConcerned: Rule = (actor, facts) => isOneOf(actor, facts.requesterId) || mayAnnotate(actor, facts);

const rules: Readonly<Record<LambdaScope, Rule>> = {
  'list:functions': () => true,
  'view:functions': () => true,
  'call:online': (actor, facts) => hasPrivilege(actor, 'worker') && mayRead(actor, facts),
  // It writes annotations, and can delete all existing ones.
  'call:offline': (actor, facts) => hasPrivilege(actor, 'worker') && mayRead(actor, facts) && mayAnnotate(actor, facts),
  'view:request': (actor, facts) => hasPrivilege(actor, 'worker') && isConcerned(actor, facts),
  'cancel:request': (actor, facts) => hasPrivilege(actor, 'worker') && isConcerned(actor, facts),
};

/** Calls of functions, and the requests that annotate whole tasks. Everyone may see which functions there are. */
export const lambdaPolicy: Policy<LambdaScope, LambdaFacts> = {
  allow: (scope, actor, facts) => isAdmin(actor) || rules[scope](actor, facts),
  visible: visibleRequests,
};

/** For functions themselves, which have no facts. */
export const NO_TASK: LambdaFacts = {
  task: { ownerId: null, assigneeId: null, project: null, organization: null },
  job: null,
};

const TASK = columns('task', ['owner_id', 'assignee_id']);
const PROJECT = columns('project', ['owner_id', 'assignee_id']);

/** Uses the tables `task` and `project`. */
function visibleRequests(actor: Actor): Sql {
  const organization = contextOrganization(actor);
  if (isAdmin(actor) || (organization !== null && maintains(actor, organization))) return raw('true');
  if (!hasPrivilege(actor, 'worker')) return raw('false');
  return or([
    sql`${TASK.owner_id} = ${actor.id}`,
    sql`${TASK.assignee_id} = ${actor.id}`,
    sql`${PROJECT.owner_id} = ${actor.id}`,
    sql`${PROJECT.assignee_id} = ${actor.id}`,
  ]);
}
