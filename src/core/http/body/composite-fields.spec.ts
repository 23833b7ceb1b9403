import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { validated } from './body.js';
import { ChoicesField, floatItem, intItem, ListField, nameItem, NestedField, textItem } from './composite-fields.js';
import { Invalid } from '../errors/errors.js';
import { readObject } from './field.js';
import { IntField, TextField } from './fields.js';

class Place {
  @IntField({ optional: true }) id?: number;
}

class Group {
  @NestedField(() => Place, { list: true }) places!: Place[];
}

const listOfAnything = {
  api: { type: 'array', items: {} } as const,
  size: (value: unknown) => (Array.isArray(value) ? value.length : 1),
  check: () => undefined,
};

class Body {
  @NestedField(() => Place, { list: true, optional: true }) places?: Place[];
  @NestedField(() => Group, { list: true, optional: true }) groups?: Group[];
  @NestedField(() => Place, { optional: true }) place?: Place;
  @NestedField(() => Place, { optional: true, nullable: true }) perhaps?: Place | null;
  @ListField(textItem(5), { optional: true }) texts?: string[];
  @ListField(nameItem(), { optional: true }) names?: string[];
  @ListField(intItem({ min: 0 }), { optional: true }) numbers?: number[];
  @ListField(floatItem(), { optional: true }) points?: number[];
  @ListField(listOfAnything, { optional: true, maxItems: 3 }) lists?: unknown[][];
  @ChoicesField(['a'], { optional: true }) choices?: string[];
  @TextField({ optional: true }) title?: string;
}

const problemOf = (body: Record<string, unknown>): unknown => {
  try {
    return validated(Body, body);
  } catch (error) {
    return (error as Invalid).body;
  }
};

describe('NestedField', () => {
  it('reads an object, and null if it is nullable', () => {
    expect(validated(Body, { place: { id: '3' } }).place).toEqual({ id: 3 });
    expect(validated(Body, { perhaps: null }).perhaps).toBeNull();
    expect(validated(Body, { perhaps: { id: 3 } }).perhaps).toEqual({ id: 3 });
    expect('perhaps' in validated(Body, {})).toBe(false);
  });

  it.each([
    [{ place: null }, { place: ['This field may not be null.'] }],
    [{ place: 5 }, { place: { non_field_errors: ['Invalid data. Expected a dictionary, but got int.'] } }],
    [{ perhaps: [] }, { perhaps: { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] } }],
    [{ perhaps: { id: 'x' } }, { perhaps: { id: ['A valid integer is required.'] } }],
  ])('refuses %j', (body, problem) => {
    expect(problemOf(body)).toEqual(problem);
  });
});

const inTotal = { non_field_errors: ['The body has more than 5000 objects in its lists.'] };
const inOne = { places: ['Ensure this field has no more than 5000 elements.'] };

describe('a list of objects', () => {
  it.each([
    ['numbers', { places: Array.from({ length: 30_000 }, () => 1) }, inOne],
    ['objects', { places: Array.from({ length: 30_000 }, () => ({})) }, inOne],
    [
      'lists of lists',
      { groups: Array.from({ length: 30 }, () => ({ places: Array.from({ length: 1_000 }, () => 1) })) },
      inTotal,
    ],
  ])('is refused without reading its elements if there are too many %s', (_, body, problem) => {
    expect(problemOf(body)).toEqual(problem);
  });

  it('reports at most a thousand invalid elements', () => {
    const places = Array.from({ length: 4_000 }, (_, index) => (index === 0 ? {} : 1));
    const problem = problemOf({ places }) as { places: unknown[] };
    expect(problem.places.slice(0, 2)).toEqual([
      {},
      { non_field_errors: ['Invalid data. Expected a dictionary, but got int.'] },
    ]);
    expect(problem.places).toHaveLength(1_001);
  });

  it('has the same limit in every body', () => {
    const places = Array.from({ length: 4_000 }, () => ({}));
    for (let body = 0; body < 2; body += 1) expect(validated(Body, { places }).places).toHaveLength(4_000);
    const more = Array.from({ length: 30_000 }, () => ({}));
    expect(validated(Body, { places: more }, Infinity).places).toHaveLength(30_000);
  });
});

/** A list whose elements are never read. */
function untouchable(length: number): unknown[] {
  const read = (list: unknown[], key: string | symbol): unknown => {
    if (key !== 'length') throw new Error(`${String(key)} was read`);
    return list.length;
  };
  return new Proxy(
    Array.from({ length }, () => 1),
    { get: read, getOwnPropertyDescriptor: fail, ownKeys: fail },
  );
}
const fail = (): never => {
  throw new Error('an element was read');
};

describe('a list that is too long, or that belongs to no field', () => {
  const unread = (body: Record<string, unknown>): unknown => {
    const reading = readObject(Body, body, { limit: 100, remaining: 100 });
    return 'problem' in reading ? reading.problem : reading.value;
  };

  it.each([
    [
      'a list of values',
      { points: untouchable(100_001) },
      { points: ['Ensure this field has no more than 100000 elements.'] },
    ],
    [
      'a list of choices',
      { choices: untouchable(100_001) },
      { choices: ['Ensure this field has no more than 100000 elements.'] },
    ],
    [
      'a list of objects',
      { places: untouchable(101) },
      { places: ['Ensure this field has no more than 100 elements.'] },
    ],
    ['a list in place of a text', { title: untouchable(1) }, { title: ['Not a valid string.'] }],
    [
      'a list in place of an object',
      { place: untouchable(1) },
      { place: { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] } },
    ],
    ['an unknown key', { unknown: untouchable(1) }, {}],
  ])('is not read: %s', (_, body, outcome) => {
    expect(unread(body)).toEqual(outcome);
  });

  it('counts the elements of nested lists together', () => {
    expect(problemOf({ lists: [[1, 2], [3]] })).toEqual({ lists: [[1, 2], [3]] });
    expect(
      problemOf({
        lists: [
          [1, 2],
          [3, 4],
        ],
      }),
    ).toEqual({ lists: ['Ensure this field has no more than 3 elements.'] });
  });
});

describe('ListField', () => {
  it('reports at most a thousand invalid elements', () => {
    const { points } = problemOf({ points: Array.from({ length: 5_000 }, () => 'x') }) as { points: object };
    expect(Object.keys(points)).toHaveLength(1_000);
  });

  it('reads its items like fields with one value', () => {
    const body = validated(Body, { texts: [1, ' a '], numbers: ['2', 3], points: ['1.5', 2] });
    expect(body).toEqual({ texts: ['1', 'a'], numbers: [2, 3], points: [1.5, 2] });
  });

  it('does not change file names', () => {
    expect(validated(Body, { names: [' a.jpg'] }).names).toEqual([' a.jpg']);
    expect(problemOf({ names: [5] })).toEqual({ names: { 0: ['Not a valid string.'] } });
  });

  it.each([
    [
      { texts: [true, null, '123456', 'a'] },
      {
        texts: {
          0: ['Not a valid string.'],
          1: ['This field may not be null.'],
          2: ['Ensure this field has no more than 5 characters.'],
        },
      },
    ],
    [
      { numbers: ['x', 1.5, -1] },
      {
        numbers: {
          0: ['A valid integer is required.'],
          1: ['A valid integer is required.'],
          2: ['Ensure this value is greater than or equal to 0.'],
        },
      },
    ],
    [{ points: ['', {}] }, { points: { 0: ['A valid number is required.'], 1: ['A valid number is required.'] } }],
  ])('refuses %j by item', (body, problem) => {
    expect(problemOf(body)).toEqual(problem);
  });
});
