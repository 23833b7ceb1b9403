import { Forbidden } from '../http/errors/errors.js';

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
