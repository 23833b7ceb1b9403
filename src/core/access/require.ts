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
