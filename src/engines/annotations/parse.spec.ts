import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { AnnotationInvalid } from './field-errors.js';
import type { AnnotationAction } from '../../shared/annotations/model.js';
import { parseLabeledData } from './parse.js';

const box = { type: 'rectangle', frame: 0, label_id: 1, points: [1, 2, 3, 4] };
const keyframe = { type: 'rectangle', frame: 0, points: [1, 2, 3, 4] };

function errorsOf(body: unknown, action: AnnotationAction = 'create'): unknown {
  try {
    parseLabeledData(body, { action });
  } catch (error) {
    if (error instanceof AnnotationInvalid) return error.errors;
    throw error;
  }
  return undefined;
}

const shapeErrors = (change: object) => {
  const errors = errorsOf({ shapes: [{ ...box, ...change }] }) as { shapes: unknown[] } | undefined;
  return errors?.shapes[0];
};

describe('parseLabeledData', () => {
  it('fills in defaults', () => {
    const data = parseLabeledData({ shapes: [box], tags: [{ frame: 3, label_id: 2 }] }, { action: 'create' });
    expect(data).toEqual({
      version: 0,
      tags: [{ id: null, label_id: 2, frame: 3, group: null, source: 'manual', attributes: [] }],
      shapes: [
        {
          ...box,
          id: null,
          group: null,
          source: 'manual',
          attributes: [],
          occluded: false,
          outside: false,
          z_order: 0,
          rotation: 0,
          score: 1,
          elements: [],
        },
      ],
      tracks: [],
      intervals: [],
    });
  });

  it('accepts intervals and scores of newer clients', () => {
    const interval = { label_id: 1, start: 2, stop: 9, score: 0.5, attributes: [] };
    const data = parseLabeledData({ intervals: [interval], shapes: [{ ...box, score: 0.25 }] }, { action: 'create' });
    expect(data.intervals[0]).toMatchObject({ start: 2, stop: 9, score: 0.5, group: null });
    expect(data.shapes[0]?.score).toBe(0.25);
    expect(errorsOf({ intervals: [{ ...interval, stop: 2 }] })).toEqual({
      intervals: [{ stop: ['Ensure this value is greater than start.'] }],
    });
  });

  it.each([
    [[], { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] }],
    [null, { non_field_errors: ['Invalid data. Expected a dictionary, but got NoneType.'] }],
    [{ shapes: null }, { shapes: ['This field may not be null.'] }],
    [{ shapes: {} }, { shapes: { non_field_errors: ['Expected a list of items but got type "dict".'] } }],
    [
      { shapes: [box, 5] },
      { shapes: [{}, { non_field_errors: ['Invalid data. Expected a dictionary, but got int.'] }] },
    ],
  ])('rejects the body %j', (body, errors) => {
    expect(errorsOf(body)).toEqual(errors);
  });

  it.each([
    [{ frame: -1 }, { frame: ['Ensure this value is greater than or equal to 0.'] }],
    [{ frame: undefined }, { frame: ['This field is required.'] }],
    [{ frame: 1.5 }, { frame: ['A valid integer is required.'] }],
    [{ frame: Infinity }, { frame: ['Ensure this value is less than or equal to 2147483647.'] }],
    [{ frame: null }, { frame: ['This field may not be null.'] }],
    [{ group: -1 }, { group: ['Ensure this value is greater than or equal to 0.'] }],
    [{ type: 'zz' }, { type: ['"zz" is not a valid choice.'] }],
    [{ type: undefined, points: [1] }, { type: ['This field is required.'] }],
    [{ rotation: 361 }, { rotation: ['Ensure this value is less than or equal to 360.'] }],
    [{ rotation: 'x' }, { rotation: ['A valid number is required.'] }],
    [{ rotation: '0x10' }, { rotation: ['A valid number is required.'] }],
    [{ occluded: 'maybe' }, { occluded: ['Must be a valid boolean.'] }],
    [{ source: 'x'.repeat(17) }, { source: ['Ensure this field has no more than 16 characters.'] }],
    [{ points: [1, 2, 3] }, { points: ["invalid length for shape type 'rectangle'"] }],
    [{ points: undefined }, { points: ["invalid length for shape type 'rectangle'"] }],
    [{ points: null }, { points: ['This field may not be null.'] }],
    [
      { points: [1, 2, true, 4] },
      { points: { 2: "[ErrorDetail(string='Value must be a float or an integer', code='invalid')]" } },
    ],
    [
      { points: [1, 2, 3, Infinity] },
      { points: { 3: "[ErrorDetail(string='Value must be a finite number', code='invalid')]" } },
    ],
    [
      { points: [1, -1e15, 3, -1.7e308] },
      {
        points: {
          3: "[ErrorDetail(string='Value must be from -1000000000000000 to 1000000000000000', code='invalid')]",
        },
      },
    ],
    [{ type: 'skeleton', points: [] }, { elements: ['at least one required for skeleton shape'] }],
    [
      { type: 'skeleton', elements: [{ ...box, type: 'points', points: [1, 2] }] },
      { points: ["invalid length for shape type 'skeleton'"] },
    ],
    [{ elements: [box] }, { elements: ['not allowed for non-skeleton shape'] }],
    [{ attributes: [{ value: 'x' }] }, { attributes: [{ spec_id: ['This field is required.'] }] }],
    [
      { attributes: [{ spec_id: 1, value: 'x'.repeat(4097) }] },
      { attributes: [{ value: ['Ensure this field has no more than 4096 characters.'] }] },
    ],
    [{ attributes: [{ spec_id: 1, value: 'a\0' }] }, { attributes: [{ value: ['Null characters are not allowed.'] }] }],
    [
      { type: 'mask', points: [0, 4, 0, 0, 3] },
      { points: ['the box of a mask must have left <= right and top <= bottom'] },
    ],
    [{ type: 'mask', points: [0, 5, 0, 0, 3, 0] }, { points: ['mask runs add up to 5 pixels, its box has 4'] }],
    [{ type: 'mask', points: [-1, 5, 0, 0, 3, 0] }, { points: ['mask run 0 must be a whole number of pixels'] }],
  ])('names the field of an invalid shape: %j', (change, errors) => {
    expect(shapeErrors(change)).toEqual(errors);
  });

  it('keeps the position of an error in a keyframe and an element', () => {
    const bad = { ...keyframe, points: [1] };
    const track = { frame: 0, label_id: 1, shapes: [keyframe, bad] };
    expect(errorsOf({ tracks: [track] })).toEqual({
      tracks: [{ shapes: [{}, { points: ["invalid length for shape type 'rectangle'"] }] }],
    });
    expect(errorsOf({ tracks: [{ frame: 0, label_id: 1 }] })).toEqual({
      tracks: [{ shapes: ['This field is required.'] }],
    });
    const skeleton = { ...box, type: 'skeleton', points: [], elements: [{ ...box, id: 4, type: 'points' }] };
    expect(errorsOf({ shapes: [skeleton] })).toEqual({ shapes: [{ elements: [{ id: ['must be absent'] }] }] });
  });

  it('reports at most a thousand errors, wherever they are', () => {
    const many = <T>(value: T): T[] => Array.from({ length: 150_000 }, () => value);
    const told = (body: unknown) => errorsOf(body) as { shapes: Record<string, unknown>[] };
    expect(told({ shapes: [box, ...many({})] }).shapes).toHaveLength(1_001);
    expect(Object.keys(told({ shapes: [{ ...box, points: many('x') }] }).shapes[0]?.['points'] ?? {})).toHaveLength(
      1_000,
    );
    const spread = told({ shapes: many({ ...box, points: ['x', 'x', 'x'] }) }).shapes;
    expect(spread).toHaveLength(250);
    expect(spread.at(-1)).toEqual({ points: { 0: expect.any(String), 1: expect.any(String), 2: expect.any(String) } });
  });

  it('converts attribute values to text', () => {
    const values = [true, null, 5, 'x'];
    const attributes = values.map((value, spec_id) => ({ spec_id, value }));
    const data = parseLabeledData({ shapes: [{ ...box, attributes }] }, { action: 'create' });
    expect(data.shapes[0]?.attributes.map((attribute) => attribute.value)).toEqual(['True', 'None', '5', 'x']);
  });

  it('rejects a shape with more than two million numbers', () => {
    const points = (length: number) => ({
      shapes: [{ ...box, type: 'polygon', points: Array.from({ length }, () => 1) }],
    });
    expect(errorsOf(points(2_000_000))).toBeUndefined();
    expect(errorsOf(points(2_000_002))).toEqual({
      shapes: [{ points: ['Ensure this field has no more than 2000000 elements.'] }],
    });
  });

  it('requires or forbids ids depending on the action', () => {
    const track = () => ({ frame: 0, label_id: 1, shapes: [{ ...keyframe, id: 9 }] }); // parsing consumes the lists
    expect(errorsOf({ shapes: [{ ...box, id: 5 }], tags: [{ frame: 0, label_id: 1, id: 1 }] })).toEqual({
      tags: [{ id: ['must be absent'] }],
      shapes: [{ id: ['must be absent'] }],
    });
    expect(errorsOf({ shapes: [{ ...box, id: null }], tracks: [track()] })).toBeUndefined();
    expect(errorsOf({ shapes: [box], tracks: [{ ...track(), id: 4 }] }, 'delete')).toEqual({
      shapes: [{ id: ['must be present and not null'] }],
    });
    expect(errorsOf({ shapes: [box, { ...box, id: 5 }], tracks: [track()] }, 'update')).toBeUndefined();
  });

  it('throws nothing but AnnotationInvalid, whatever the JSON is', () => {
    const key = fc.constantFrom(
      ...Object.keys(box),
      'tags',
      'shapes',
      'tracks',
      'elements',
      'attributes',
      'value',
      'id',
    );
    const { body } = fc.letrec((tie) => ({
      body: fc.oneof(
        { maxDepth: 4 },
        tie('leaf'),
        fc.array(tie('body'), { maxLength: 3 }),
        fc.dictionary(key, tie('body'), { maxKeys: 6 }),
      ),
      leaf: fc.oneof(fc.jsonValue(), fc.constantFrom('mask', 'skeleton', Infinity, -1, '5', '')),
    }));
    fc.assert(
      fc.property(body, fc.constantFrom<AnnotationAction>('create', 'update', 'delete'), (value, action) => {
        const errors = errorsOf({ shapes: value, tracks: [value], tags: [value], intervals: value }, action);
        expect(errors === undefined || typeof errors === 'object').toBe(true);
      }),
    );
  });
});
