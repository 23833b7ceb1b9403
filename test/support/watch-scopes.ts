import { AsyncLocalStorage } from 'node:async_hooks';
import type { CanActivate, ExecutionContext, INestApplication } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { NextFunction, Request, Response } from 'express';
import { SCOPE } from '../../src/core/access/scope.decorator.js';
import type { Actor } from '../../src/shared/policy/actor.js';
import { cloudStoragePolicy } from '../../src/shared/policy/cloudstorage.policy.js';
import { commentPolicy } from '../../src/shared/policy/comment.policy.js';
import { loggedEventPolicy } from '../../src/shared/policy/event.policy.js';
import { functionPolicy } from '../../src/shared/policy/function.policy.js';
import { guidePolicy } from '../../src/shared/policy/guide.policy.js';
import { invitationPolicy } from '../../src/shared/policy/invitation.policy.js';
import { issuePolicy } from '../../src/shared/policy/issue.policy.js';
import { jobPolicy } from '../../src/shared/policy/job.policy.js';
import { lambdaPolicy } from '../../src/shared/policy/lambda.policy.js';
import { membershipPolicy } from '../../src/shared/policy/membership.policy.js';
import { organizationPolicy } from '../../src/shared/policy/organization.policy.js';
import { projectPolicy } from '../../src/shared/policy/project.policy.js';
import { qualityPolicy } from '../../src/shared/policy/quality.policy.js';
import { requestPolicy } from '../../src/shared/policy/request.policy.js';
import { taskPolicy } from '../../src/shared/policy/task.policy.js';
import { userPolicy } from '../../src/shared/policy/user.policy.js';
import { webhookPolicy } from '../../src/shared/policy/webhook.policy.js';

interface Watched {
  allow(scope: string, actor: Actor, facts: never): boolean;
  visible?(actor: Actor): unknown;
  mayList?(actor: Actor): boolean;
}

/** By the resource in scopes: `task` for `task:update`. */
const POLICIES: Readonly<Record<string, Watched>> = {
  cloudstorage: cloudStoragePolicy,
  comment: commentPolicy,
  event: loggedEventPolicy,
  function: functionPolicy,
  guide: guidePolicy,
  invitation: invitationPolicy,
  issue: issuePolicy,
  job: jobPolicy,
  lambda: lambdaPolicy,
  membership: membershipPolicy,
  organization: organizationPolicy,
  project: projectPolicy,
  quality: qualityPolicy,
  request: requestPolicy,
  task: taskPolicy,
  user: userPolicy,
  webhook: webhookPolicy,
};

/** Scopes of objects that have the rules of the object they belong to. */
const RULES_OF_PARENTS: Readonly<Record<string, readonly string[]>> = {
  'label:list': ['project:list', 'project:view', 'task:list', 'task:view', 'job:view'],
  'label:view': ['project:view', 'task:view'],
  'label:update': ['project:update:desc', 'task:update:desc'],
  'label:delete': ['project:update:desc', 'task:update:desc'],
  'consensus:list': ['task:list', 'task:view'],
  'consensus:view': ['task:view'],
  'consensus:update': ['task:update:desc'],
  'quality_settings:list': ['quality:list'],
  'quality_settings:view': ['project:view', 'task:view'],
  'quality_settings:update': ['project:update:desc', 'task:update:desc'],
  'project:download': ['project:export'],
  'task:download': ['task:export'],
  'job:download': ['job:export'],
  'event:download': ['event:export'],
  'asset:create': ['guide:create'],
  'asset:view': ['guide:view'],
  'asset:delete': ['guide:delete'],
};

/** Scopes of what every user may do, mostly to objects of their own. No policy is evaluated. */
const RULES_OF_EVERYBODY: readonly RegExp[] = [
  /^(access_token|inspect|password):/,
  /^event:list$/, // the stream selects what the user may receive
  /^server:(view|list:share)$/,
];

/**
 * Whether the declared scope is among the evaluated rules. `task:create` also stands for `task:create@project`, and
 * `task:update` for the rule of each changed key, such as `task:update:owner`. Resources of extensions use the rules of
 * what they belong to.
 */
export function isApplied(scope: string, rules: readonly string[]): boolean {
  if (RULES_OF_EVERYBODY.some((pattern) => pattern.test(scope))) return rules.length === 0;
  const isOfExtension = !(scope in RULES_OF_PARENTS) && !((scope.split(':', 1)[0] ?? '') in POLICIES);
  if (isOfExtension) return rules.length > 0;
  const expected = RULES_OF_PARENTS[scope] ?? [scope];
  return expected.some((rule) =>
    rules.some((found) => found === rule || found.startsWith(`${rule}:`) || found.startsWith(`${rule}@`)),
  );
}

/**
 * Whether a request may succeed without evaluating the rule of its route: everyone may read a public guide, and a PATCH
 * that changes nothing only needs the permission to view the object.
 */
function isExempt(method: string, scope: string, rules: readonly string[]): boolean {
  if (['guide:view', 'asset:view'].includes(scope)) return rules.length === 0;
  return method === 'PATCH' && rules.includes(`${scope.split(':', 1)[0]}:view`);
}

/** How often a route has evaluated the rule that it declares, and how often it was exempt. */
export const scopeChecks = { applied: 0, exempt: 0 };

interface Watch {
  scope?: string;
  /** The rules that the request has evaluated. */
  readonly rules: Set<string>;
}

const current = new AsyncLocalStorage<Watch>();

for (const [resource, policy] of Object.entries(POLICIES)) {
  const { allow, visible, mayList } = policy;
  policy.allow = (scope, actor, facts) => {
    current.getStore()?.rules.add(`${resource}:${scope}`);
    return allow(scope, actor, facts);
  };
  const noteList = (): unknown => current.getStore()?.rules.add(`${resource}:list`);
  if (visible !== undefined) policy.visible = (actor) => (noteList(), visible(actor));
  if (mayList !== undefined) policy.mayList = (actor) => (noteList(), mayList(actor));
}

/** Notes the scope of the route. */
class ScopeNote implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const scope = this.reflector.getAllAndOverride<string | undefined>(SCOPE, [
      context.getHandler(),
      context.getClass(),
    ]);
    const watch = current.getStore();
    if (watch !== undefined && scope !== undefined) watch.scope = scope;
    return true;
  }
}

/**
 * From now on, a request that succeeds without evaluating the rule that its route declares with `@Scope` is answered with
 * 500.
 */
export function watchScopes(app: INestApplication): void {
  app.useGlobalGuards(new ScopeNote(app.get(Reflector)));
  app.use((request: Request, response: Response, next: NextFunction) => {
    const watch: Watch = { rules: new Set() };
    const writeHead = response.writeHead.bind(response) as (status: number, ...values: unknown[]) => Response;
    response.writeHead = (status: number, ...values: unknown[]) => {
      const problem =
        status < 400 && !response.hasHeader('Idempotency-Replayed') ? problemOf(request, watch) : undefined;
      if (problem === undefined) return writeHead(status, ...values);
      console.error(problem);
      return writeHead(500, ...values);
    };
    current.run(watch, next);
  });
}

function problemOf(request: Request, { scope, rules }: Watch): string | undefined {
  if (scope === undefined) return undefined;
  const applied = isApplied(scope, [...rules]);
  if (applied || isExempt(request.method, scope, [...rules])) {
    scopeChecks[applied ? 'applied' : 'exempt'] += 1;
    return undefined;
  }
  return `${request.method} ${request.path} declares ${scope}, but evaluates ${[...rules].join(', ') || 'no rule'}`;
}
