import { InvalidList } from '../../core/http/errors.js';
import { namedId } from '../../core/http/named-id.js';

/**
 * The id of the object that a new one belongs to, from a body that is not validated yet.
 * @throws InvalidList for none, or one that no row has
 */
export function parentId(value: unknown, model: 'Job' | 'Issue'): number {
  const named = value !== undefined && value !== null;
  const id = named ? namedId(value) : 0;
  if (id === undefined) throw new InvalidList(`"${model.toLowerCase()}" must be an integer`);
  if (id === 0) throw new InvalidList(`${model} matching query does not exist.`);
  return id;
}
