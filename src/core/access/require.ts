import type { Actor } from '../../shared/policy/actor.js';
import type { Policy } from '../../shared/policy/policy.js';
import { Forbidden } from '../http/errors/errors.js';

/** @throws Forbidden unless the policy allows every scope */
export function requireAll<Scope extends string, Facts>(
  policy: Policy<Scope, Facts>,
  scopes: readonly Scope[],
  actor: Actor,
  facts: Facts,
): void {
  if (!scopes.every((scope) => policy.allow(scope, actor, facts))) throw new Forbidden();
}
