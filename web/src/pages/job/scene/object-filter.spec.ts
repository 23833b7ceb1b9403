import { mayMatch, type Condition, matchesFilter, NO_FILTER, sortedObjects, stopsAt } from './object-filter';
import type { SceneObject } from './scene';

const car: SceneObject = {
  key: 'track:1',
  kind: 'track',
  id: 1,
  type: 'rectangle',
  labelId: 1,
  labelName: 'car',
  labelColor: '#ff0000',
  group: 3,
  source: 'manual',
  score: 0.8,
  occluded: true,
  outside: false,
  zOrder: -1,
  rotation: 0,
  attributes: [
    { id: 1, name: 'colour', value: 'Dark red' },
    { id: 2, name: 'doors', value: '4' },
  ],
  elements: [],
  keyframes: [2, 5],
  drawings: [],
  bounds: { left: 10, top: 10, right: 50, bottom: 30 },
  points: [],
};
const marks = { hidden: new Set<string>(), locked: new Set(['track:1']), pinned: new Set<string>() };
const meets = (...conditions: Condition[]): boolean => matchesFilter(car, 2, { isAny: false, conditions }, marks);

describe('a filter of objects', () => {
  it.each<[boolean, Condition]>([
    [true, { field: 'label', comparison: 'is', value: 'car' }],
    [false, { field: 'label', comparison: 'is-not', value: 'car' }],
    [true, { field: 'kind', comparison: 'is', value: 'track' }],
    [false, { field: 'type', comparison: 'is', value: 'mask' }],
    [true, { field: 'attribute', attribute: 'colour', comparison: 'contains', value: 'RED' }],
    [true, { field: 'attribute', attribute: 'doors', comparison: 'at-least', value: '4' }],
    [false, { field: 'attribute', attribute: 'doors', comparison: 'at-least', value: '5' }],
    [false, { field: 'attribute', attribute: 'unknown', comparison: 'is', value: '4' }],
    [true, { field: 'attribute', attribute: 'unknown', comparison: 'is-not', value: '4' }],
    [true, { field: 'width', comparison: 'is', value: '40.0' }],
    [true, { field: 'height', comparison: 'at-most', value: '20' }],
    [false, { field: 'area', comparison: 'at-least', value: '801' }],
    [true, { field: 'source', comparison: 'is', value: 'manual' }],
    [false, { field: 'score', comparison: 'at-least', value: '0.9' }],
    [true, { field: 'group', comparison: 'is', value: '3' }],
    [true, { field: 'layer', comparison: 'at-most', value: '0' }],
    [false, { field: 'id', comparison: 'is', value: '2' }],
    [true, { field: 'state', comparison: 'is', value: 'occluded' }],
    [true, { field: 'state', comparison: 'is', value: 'keyframe' }],
    [true, { field: 'state', comparison: 'is', value: 'locked' }],
    [true, { field: 'state', comparison: 'is-not', value: 'hidden' }],
  ])('%s for %j', (expected, condition) => {
    expect(meets(condition)).toBe(expected);
  });

  it('needs all conditions, or one', () => {
    const conditions: Condition[] = [
      { field: 'label', comparison: 'is', value: 'car' },
      { field: 'kind', comparison: 'is', value: 'tag' },
    ];
    expect(matchesFilter(car, 2, { isAny: false, conditions }, marks)).toBe(false);
    expect(matchesFilter(car, 2, { isAny: true, conditions }, marks)).toBe(true);
  });

  it('ignores incomplete conditions', () => {
    expect(meets({ field: 'kind', comparison: 'is', value: '' })).toBe(true);
    expect(meets({ field: 'attribute', comparison: 'is', value: 'x' })).toBe(true);
    expect(matchesFilter(car, 2, NO_FILTER, marks)).toBe(true);
  });

  it('excludes an object by what is the same on all of its frames', () => {
    const [isCar, isTag, isWide]: Condition[] = [
      { field: 'label', comparison: 'is', value: 'car' },
      { field: 'kind', comparison: 'is', value: 'tag' },
      { field: 'width', comparison: 'at-least', value: '999' },
    ];
    const can = (isAny: boolean, ...conditions: (Condition | undefined)[]): boolean =>
      mayMatch(car, { isAny, conditions: conditions.flatMap((one) => one ?? []) });
    expect([can(false), can(false, isCar, isWide), can(false, isCar, isTag), can(false, isTag)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([can(true, isTag, isWide), can(true, isTag, isCar), can(true, isTag)]).toEqual([true, true, false]);
  });

  it('finds objects that are outside only when it asks for them', () => {
    const gone = { ...car, outside: true };
    const stops = (object: SceneObject, condition: Condition): boolean =>
      stopsAt(object, 2, { isAny: false, conditions: [condition] }, marks);
    expect(stops(car, { field: 'label', comparison: 'is', value: 'car' })).toBe(true);
    expect(stops(gone, { field: 'label', comparison: 'is', value: 'car' })).toBe(false);
    expect(stops(gone, { field: 'state', comparison: 'is', value: 'outside' })).toBe(true);
  });

  it('applies states of the frame', () => {
    const conditions: Condition[] = [{ field: 'state', comparison: 'is', value: 'keyframe' }];
    expect(matchesFilter(car, 3, { isAny: false, conditions }, marks)).toBe(false);
  });
});

describe('sorted objects', () => {
  const shown = [3, 0, 1].map((id) => ({ object: { ...car, id, key: `shape:${id}` } }));
  const ids = (sort: 'layer' | 'id' | 'time'): number[] =>
    sortedObjects(shown, sort, (key) => (key === 'shape:3' ? 1 : 0)).map(({ object }) => object.id);

  it('are in the order of layers, of their IDs with new ones last, or of their last change', () => {
    expect([ids('layer'), ids('id'), ids('time')]).toEqual([
      [3, 0, 1],
      [1, 3, 0],
      [3, 1, 0],
    ]);
  });
});
