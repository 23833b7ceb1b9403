import { describe, expect, it } from '@jest/globals';
import { attributeValue, readDetections } from './detections.js';
import { resolveMapping } from './mapping.js';
import { ResponseInvalid } from './response-item.js';

const LABELS = ['any', 'rectangle', 'polygon', 'mask'].map((type, at) => ({
  id: at + 1,
  name: type,
  type,
  attributes: [],
}));
const MAPPING = resolveMapping(Object.fromEntries(LABELS.map(({ name }) => [name, { name, attributes: {} }])), LABELS);
const read = (response: unknown, options = {}) =>
  readDetections(response, { frame: 7, mapping: MAPPING, masksToPolygons: false, ...options });
const shapeOf = async (item: object, options = {}) => (await read([item], options)).shapes[0];

const RECTANGLE = { label: 'any', type: 'rectangle', points: [1, 2, 3, 4] };
const MASK = { label: 'mask', type: 'mask', mask: [1, 1, 0, 0, 0, 1, 3, 4, 5, 5] };

describe('readDetections', () => {
  it('takes group, rotation, confidence and visibility', async () => {
    const item = { ...RECTANGLE, group_id: 3, rotation: -90, confidence: '0.5', outside: 1 };
    expect(await shapeOf(item)).toMatchObject({ group: 3, rotation: 270, score: 0.5, outside: true, frame: 7 });
    expect(await shapeOf({ ...item, confidence: 'high', rotation: null })).toMatchObject({ score: 1, rotation: 0 });
  });

  it('moves results from a region to the frame', async () => {
    const origin = [10, 20];
    expect((await shapeOf(RECTANGLE, { origin }))?.points).toEqual([11, 22, 13, 24]);
    expect((await shapeOf(MASK, { origin }))?.points).toEqual([0, 2, 3, 1, 13, 24, 15, 25]);
  });

  it('rejects an object with millions of coordinates', async () => {
    const points = Array.from({ length: 1_000_002 }, () => 1);
    await expect(read([{ label: 'polygon', type: 'polygon', points }])).rejects.toThrow('Object 0: points is too long');
  });

  it('converts bitmaps to runs', async () => {
    expect((await shapeOf(MASK))?.points).toEqual([0, 2, 3, 1, 3, 4, 5, 5]);
  });

  it('converts masks with a polygon only if asked to', async () => {
    const both = { ...MASK, label: 'any', points: [1, 1, 5, 1, 5, 5] };
    expect(await shapeOf(both)).toMatchObject({ type: 'mask' });
    expect(await shapeOf(both, { masksToPolygons: true })).toMatchObject({ type: 'polygon', points: both.points });
    expect(await shapeOf({ ...MASK, label: 'any' }, { masksToPolygons: true })).toMatchObject({ type: 'mask' });
  });

  it('converts masks and polygons to the type of the label', async () => {
    const square = [10, 10, 12, 10, 12, 12, 10, 12];
    const mask = { type: 'mask', mask: [1, 1, 1, 1, 10, 10, 11, 11] };
    const toPolygon = await read([{ ...mask, label: 'polygon' }]);
    expect(toPolygon.shapes).toMatchObject([{ type: 'polygon', points: [12, 10, 12, 12, 10, 12, 10, 10] }]);
    const described = await shapeOf({ ...mask, label: 'polygon', points: [1, 1, 5, 1, 5, 5] });
    expect(described).toMatchObject({ type: 'polygon', points: [1, 1, 5, 1, 5, 5] });
    const toMask = await shapeOf({ label: 'mask', type: 'polygon', points: square });
    expect(toMask).toMatchObject({ type: 'mask', points: [0, 4, 10, 10, 11, 11] });
    const far = { label: 'mask', type: 'polygon', points: [0, 0, 1e9, 0, 1e9, 1e9] };
    await expect(read([far])).rejects.toThrow(new ResponseInvalid('Object 0 cannot be converted to a mask'));
  });

  it.each([
    [{}, 'The response must be a list of objects'],
    [[7], 'Object 0 must be a JSON object'],
    [[{ ...RECTANGLE, label: 5 }], 'Object 0: label must be a string'],
    [[{ ...RECTANGLE, type: 'circle' }], 'Object 0: type must be tag or a type of shapes'],
    [[RECTANGLE, { ...RECTANGLE, points: ['1', 2, 3, 4] }], 'Object 1: points must be a list of numbers'],
    [[{ ...RECTANGLE, points: [1] }], "Object 0: invalid length for shape type 'rectangle'"],
    [[{ ...MASK, mask: [1, 0, 0, 1, 1] }], 'Object 0: the mask has 1 pixels, its box has 4'],
    [[{ ...RECTANGLE, label: 'mask' }], 'Object 0 is a rectangle, but the label "mask" of the task has type mask'],
    [[{ label: 'any', type: 'skeleton', elements: [] }], 'Object 0 is a skeleton, but the label "any" of the task has type any'],
  ])('refuses %j', async (response, what) => {
    await expect(read(response)).rejects.toThrow(new ResponseInvalid(what));
  }); // prettier-ignore
});

describe('attributeValue', () => {
  it.each([
    ['checkbox', [], true, 'true'],
    ['checkbox', [], 'False', 'false'],
    ['checkbox', [], 'yes', undefined],
    ['number', ['2', '10', '2'], '4', '4'],
    ['number', ['2', '10', '2'], 5, undefined],
    ['number', ['2', '10', '2'], 12, undefined],
    ['number', ['2', '10', '2'], '', undefined],
    ['select', ['a', 'b'], 'b', 'b'],
    ['radio', ['a', 'b'], 'c', undefined],
    ['text', [], 7, '7'],
    ['text', [], {}, undefined],
    ['text', [], 'a\0', undefined],
    ['text', [], 'a\ud800', undefined],
  ])('of a %s with %j reads %j as %j', (input_type, values, value, expected) => {
    expect(attributeValue(value, { id: 1, name: 'a', input_type, values })).toBe(expected);
  });
});
