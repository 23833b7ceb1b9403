import { InvalidList } from '../../core/http/errors.js';

/**
 * The id of the object that a new one belongs to, from a body that is not validated yet.
 * @throws InvalidList for none, or one that no row has
 */
export function parentId(value: unknown, model: 'Job' | 'Issue'): number {
  const id = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
  if (typeof id === 'number' && Number.isInteger(id) && id > 0 && id <= 2 ** 31 - 1) return id;
  const missing = id === undefined || id === null || (typeof id === 'number' && Number.isInteger(id));
  throw new InvalidList(
    missing ? `${model} matching query does not exist.` : `"${model.toLowerCase()}" must be an integer`,
  );
}
