import { Injectable, type PipeTransform } from '@nestjs/common';
import { InvalidList, NotFound } from '../errors/errors.js';
import { readNumber } from '../body/fields.js';

const MAX_ID = 2 ** 31 - 1;

/**
 * Parses ids in paths. Anything but digits is a 404; numbers beyond the column's range become an id that no row has.
 */
@Injectable()
export class IdPipe implements PipeTransform<string, number> {
  transform(text: string): number {
    if (!/^-?\d+$/.test(text)) throw new NotFound();
    const id = Number(text);
    return id > 0 && id <= MAX_ID ? id : 0;
  }
}

/**
 * Reads an id from a query or an unvalidated body: the permission for the object is checked before the body is
 * validated.
 * @returns 0, which no object has, for integers out of range; undefined for anything but an integer
 */
export function namedId(value: unknown): number | undefined {
  const id = readNumber(value);
  if (typeof id !== 'number' || !Number.isInteger(id)) return undefined;
  return id > 0 && id <= MAX_ID ? id : 0;
}

/**
 * Reads the id of the parent of a new object from an unvalidated body.
 * @throws InvalidList for a missing id, or one that no row can have
 */
export function parentId(value: unknown, model: 'Job' | 'Issue'): number {
  const id = value === undefined || value === null ? 0 : namedId(value);
  if (id === undefined) throw new InvalidList(`"${model.toLowerCase()}" must be an integer`);
  if (id === 0) throw new InvalidList(`${model} matching query does not exist.`);
  return id;
}
