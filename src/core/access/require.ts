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
  if (!scopes.every((scope) => policy.allow(scope, actor, facts)))
    throw new Forbidden(undefined, organizationOf(facts));
}

/** Facts contain the organization of the object, or the facts of the object that it belongs to. */
function organizationOf(facts: unknown): number | null {
  if (typeof facts !== 'object' || facts === null) return null;
  const { organization, task, job } = facts as Readonly<Record<string, unknown>>;
  if (typeof organization === 'object' && organization !== null && 'id' in organization)
    return typeof organization.id === 'number' ? organization.id : null;
  return organizationOf(task ?? job);
}

/**
 * The scopes that an update requires, by the keys of its body.
 * @throws Forbidden for a key that cannot be changed
 */
export function updateScopes<Scope extends string>(
  body: Readonly<Record<string, unknown>>,
  scopeOf: Readonly<Record<string, Scope>>,
): Scope[] {
  const scopes = Object.keys(body).map((key) => {
    if (!Object.hasOwn(scopeOf, key)) throw new Forbidden('Attempted to update an unknown field');
    return scopeOf[key] as Scope;
  });
  return [...new Set(scopes)];
}
