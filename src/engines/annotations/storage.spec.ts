import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { responseChunks } from './response-text.js';
import { completeData } from './complete.js';
import { copyChunks, copyLine } from './copy-text.js';
import { fromRows } from './from-rows.js';
import { assignIds, countMissingIds, settleTracks } from './prepare-write.js';
import type { LabeledData, ShapeType } from '../../shared/annotations/model.js';
import { checkLabels, LabelIndex } from './labels.js';
import { parseLabeledData } from './parse.js';
import { readChunks, ReadText } from './read-text.js';
import { type AnnotationRows, rowsOf } from './rows.js';

const color = { id: 20, mutable: true, defaultValue: 'red', inputType: 'select', values: ['red', 'blue'] };
const make = { id: 21, mutable: false, defaultValue: 'bmw', inputType: 'text', values: [] };
const labels = new LabelIndex([
  { id: 1, type: 'any', parentId: null, attributes: [color, make] },
  { id: 2, type: 'skeleton', parentId: null, attributes: [] },
  { id: 3, type: 'points', parentId: 2, attributes: [] },
]);

const body = {
  tags: [{ frame: 0, label_id: 1, group: 0 }],
  shapes: [
    { type: 'rectangle', frame: 4, label_id: 1, points: [1.5, 2, 30, 40], rotation: 10, group: 2, source: 'a\tb\\' },
    {
      type: 'skeleton',
      frame: 2,
      label_id: 2,
      elements: [
        { type: 'points', frame: 2, label_id: 3, points: [5, 5] },
        { type: 'points', frame: 2, label_id: 3, points: [9, 9], outside: true, score: 0.5 },
      ],
    },
  ],
  tracks: [
    {
      frame: 0,
      label_id: 1,
      attributes: [{ spec_id: 21, value: 'a "b"\n' }],
      shapes: [
        { type: 'rectangle', frame: 3, points: [1, 1, 2, 2], attributes: [{ spec_id: 20, value: 'blue' }] },
        { type: 'rectangle', frame: 5, points: [1, 1, 2, 2], outside: true },
      ],
    },
  ],
};

function written(): LabeledData {
  const data = parseLabeledData(structuredClone(body), { action: 'create' });
  checkLabels(data, labels);
  settleTracks(data);
  expect(countMissingIds(data)).toEqual({ tag: 1, shape: 4, track: 1, trackedShape: 3, interval: 0 });
  assignIds(data, { tag: 10, shape: 20, track: 30, trackedShape: 40, interval: 50 });
  return data;
}

const toRows = (data: LabeledData, jobId: number): AnnotationRows => {
  const { tags, shapes, tracks, trackedShapes, intervals } = rowsOf(data, jobId);
  return {
    tags: [...tags],
    shapes: [...shapes],
    tracks: [...tracks],
    trackedShapes: [...trackedShapes],
    intervals: [...intervals],
  };
};
const join = (chunks: Iterable<string>) => [...chunks].join('');

describe('rows and COPY text', () => {
  it('round-trips annotations', () => {
    const data = written();
    const back = fromRows(toRows(data, 7));
    expect(back.tags).toEqual(data.tags);
    expect(back.shapes).toEqual(data.shapes.toSorted((a, b) => a.frame - b.frame));
    expect(back.tracks[0]?.shapes.map((shape) => [shape.frame, shape.outside])).toEqual([
      [0, true],
      [3, false],
      [5, true],
    ]);
  });

  it('escapes what the COPY text format reserves', () => {
    const rows = toRows(written(), 7);
    const lines = join(copyChunks(rows.shapes, copyLine.shape, 7)).split('\n');
    expect(lines[0]).toBe('20\t7\t\\N\t1\trectangle\t4\t2\ta\\tb\\\\\tfalse\tfalse\t0\t10\t1\t[1.5,2,30,40]\t[]\t7');
    expect(join(copyChunks(rows.tracks, copyLine.track, 7))).toBe(
      '30\t7\t\\N\t1\t0\t\\N\tmanual\t[{"spec_id":21,"value":"a \\\\"b\\\\"\\\\n"}]\t7\n',
    );
  });

  it('responds to a write in the order sent, as sent', () => {
    const text = join(responseChunks(written()));
    const answer = JSON.parse(text) as Record<string, Record<string, unknown>[]>;
    expect(Object.keys(answer)).toEqual(['version', 'tags', 'shapes', 'tracks']);
    expect(Object.keys(answer['shapes']?.[0] ?? {}).join()).toBe(
      'type,occluded,outside,z_order,rotation,points,id,frame,label_id,group,source,attributes,elements',
    );
    expect(Object.keys(answer['tags']?.[0] ?? {}).join()).toBe('id,frame,label_id,group,source,attributes');
    expect(Object.keys(answer['tracks']?.[0] ?? {}).join()).toBe(
      'id,frame,label_id,group,source,attributes,shapes,elements',
    );
    expect(answer['tracks']?.[0]?.['shapes']).toMatchObject([
      { frame: 3, id: 40 },
      { frame: 5, id: 41 },
      { frame: 0, id: 42, outside: true },
    ]);
    expect(answer['shapes']?.[1]).toMatchObject({ id: 21, elements: [{ id: 22 }, { id: 23, score: 0.5 }] });
  });

  it('echoes a delete with elements where they were sent', () => {
    const shape = { id: 1, type: 'ellipse', frame: 0, label_id: 1, points: [1, 1, 2, 0] };
    const track = { id: 1, frame: 0, label_id: 1, shapes: [{ type: 'points', frame: 0, points: [1, 1] }] };
    const shapes = [shape, { ...shape, elements: [] }];
    const data = parseLabeledData({ shapes, tracks: [track] }, { action: 'delete' });
    const echo = JSON.parse(join(responseChunks(data))) as Record<string, Record<string, unknown>[]>;
    expect(echo['shapes']?.map((entry) => entry['elements'])).toEqual([undefined, []]);
    expect(echo['tracks']).toMatchObject([{ id: 1, shapes: [{ id: null }] }]);
    expect(echo['tracks']?.[0]).not.toHaveProperty('elements');
  });

  it('completes attributes on a read, for rows and objects alike', () => {
    const data = written();
    const rows = toRows(data, 7);
    const text = new ReadText(labels);
    const elements = new Map([[21, rows.shapes.filter((row) => row.parent_id === 21)]]);
    const shapes = rows.shapes.filter((row) => row.parent_id === null);
    const streamed = JSON.parse(
      text.begin() +
        text.tags(rows.tags) +
        text.shapes(shapes.slice(0, 1)) +
        text.shapes(shapes.slice(1), elements) +
        text.tracks(fromRows(rows).tracks) +
        text.intervals([]) +
        text.end(),
    ) as Record<string, Record<string, unknown>[]>;
    const track = streamed['tracks']?.[0];
    expect(Object.keys(streamed['shapes']?.[0] ?? {}).join()).toBe(
      'id,label_id,type,frame,group,source,occluded,outside,z_order,rotation,points,attributes,elements',
    );
    expect(streamed['shapes']?.[0]?.['attributes']).toEqual([
      { spec_id: 20, value: 'red' },
      { spec_id: 21, value: 'bmw' },
    ]);
    expect(track?.['attributes']).toEqual([{ spec_id: 21, value: 'a "b"\n' }]);
    expect(track?.['shapes']).toMatchObject([
      { frame: 0, attributes: [{ spec_id: 20, value: 'blue' }] },
      { frame: 3, attributes: [{ spec_id: 20, value: 'blue' }] },
      { frame: 5, attributes: [{ spec_id: 20, value: 'blue' }] },
    ]);
    const completed = completeData(fromRows(rows), labels);
    const fromObjects = JSON.parse(join(readChunks(completed, labels))) as typeof streamed;
    expect(fromObjects['tracks']).toEqual(streamed['tracks']);
    expect(fromObjects['shapes']).toEqual(streamed['shapes']?.toReversed());
  });

  it('writes an empty read and rejects types out of order', () => {
    const text = new ReadText(labels);
    expect(JSON.parse(text.begin() + text.end())).toEqual({ version: 0, tags: [], shapes: [], tracks: [] });
    expect(() => text.tags([])).toThrow('tags must be written before tracks');
  });
});

const POINTS: Readonly<Record<Exclude<ShapeType, 'skeleton'>, readonly number[]>> = {
  rectangle: [4],
  ellipse: [4],
  polygon: [6, 10],
  polyline: [4, 8],
  points: [2, 6],
  cuboid: [16],
  mask: [],
};

const numberOfPoint = fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => value + 0);
const text = fc.string({ maxLength: 12, unit: 'binary' }).filter((value) => !value.includes('\u0000'));
const attributes = (spec: number) =>
  fc.array(text, { maxLength: 1 }).map((values) => values.map((value) => ({ spec_id: spec, value })));

/** A geometry with points that fit its type. */
const anyGeometry = fc.constantFrom(...(Object.keys(POINTS) as (keyof typeof POINTS)[])).chain((type) =>
  fc.record({
    type: fc.constant(type),
    frame: fc.nat(30),
    occluded: fc.boolean(),
    outside: fc.boolean(),
    z_order: fc.integer({ min: -9, max: 9 }),
    rotation: fc.double({ min: 0, max: 360, noNaN: true }).map((value) => value + 0),
    points:
      type === 'mask'
        ? fc.constant([1, 3, 0, 0, 1, 1])
        : fc
            .constantFrom(...POINTS[type])
            .chain((length) => fc.array(numberOfPoint, { minLength: length, maxLength: length })),
  }),
);
const named = fc.record({ group: fc.nat(5), source: fc.constantFrom('manual', 'auto', 'a\tb\\') });
const joined = <A extends object, B extends object>(left: fc.Arbitrary<A>, right: fc.Arbitrary<B>) =>
  fc.tuple(left, right).map(([a, b]) => ({ ...a, ...b }));
const score = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0);

const anyShape = joined(
  joined(anyGeometry, named),
  fc.record({ label_id: fc.constant(1), attributes: attributes(20), score }),
);
const anyJoint = fc
  .tuple(fc.integer({ min: 0, max: 99 }), fc.boolean(), score)
  .map(([x, outside, sure]) => ({ type: 'points', frame: 0, label_id: 3, points: [x, x], outside, score: sure }));
const anySkeleton = fc.tuple(fc.nat(30), fc.array(anyJoint, { minLength: 1, maxLength: 3 })).map(([frame, joints]) => {
  const elements = joints.map((joint) => ({ ...joint, frame }));
  return { type: 'skeleton', frame, label_id: 2, elements };
});
const anyTrack = fc
  .uniqueArray(joined(anyGeometry, fc.record({ attributes: attributes(20) })), {
    selector: ({ frame }) => frame,
    minLength: 1,
    maxLength: 4,
  })
  .chain((shapes) =>
    fc.tuple(named, attributes(21)).map(([names, values]) => ({ ...names, attributes: values, shapes })),
  )
  .map((track) => ({ ...track, label_id: 1, frame: Math.min(...track.shapes.map(({ frame }) => frame)) }));
const anyTag = joined(named, fc.record({ frame: fc.nat(30), label_id: fc.constant(1), attributes: attributes(21) }));

const anyBody = fc.record({
  tags: fc.array(anyTag, { maxLength: 3 }),
  shapes: fc.array(fc.oneof(anyShape, anySkeleton), { maxLength: 6 }),
  tracks: fc.array(anyTrack, { maxLength: 3 }),
});

/** What a client can send back: without ids. */
const withoutIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, entry: unknown) => (key === 'id' ? undefined : entry)) as unknown;

const byFrame = (data: LabeledData): LabeledData => ({
  ...data,
  tags: data.tags.toSorted((a, b) => a.frame - b.frame),
  shapes: data.shapes.toSorted((a, b) => a.frame - b.frame),
  tracks: data.tracks.map((track) => ({ ...track, shapes: track.shapes.toSorted((a, b) => a.frame - b.frame) })),
});

describe('serialization', () => {
  const stored = (given: unknown): LabeledData => {
    const data = parseLabeledData(given, { action: 'create' });
    checkLabels(data, labels);
    assignIds(data, { tag: 10, shape: 20, track: 30, trackedShape: 40, interval: 50 });
    return data;
  };

  it('round-trips any annotations', () => {
    fc.assert(
      fc.property(anyBody, (given) => {
        const data = stored(structuredClone(given));
        expect(fromRows(toRows(data, 7))).toEqual(byFrame(data));
      }),
    );
  });

  it('writes responses that mean the same when sent again', () => {
    fc.assert(
      fc.property(anyBody, (given) => {
        const data = stored(structuredClone(given));
        const again = stored(withoutIds(JSON.parse(join(responseChunks(data)))));
        expect(again).toEqual(data);
      }),
    );
  });

  it('writes reads that mean the same when written again', () => {
    fc.assert(
      fc.property(anyBody, (given) => {
        const read = (data: LabeledData): unknown =>
          withoutIds(JSON.parse(join(readChunks(completeData(byFrame(data), labels), labels))));
        const first = read(stored(structuredClone(given)));
        expect(read(stored(structuredClone(first)))).toEqual(first);
      }),
    );
  });
});

describe('checkLabels', () => {
  const point = { type: 'points', frame: 0, points: [1, 2] };

  it.each([
    [{ tags: [{ frame: 0, label_id: 5 }] }, ['label_id `5` is invalid']],
    [{ tags: [{ frame: 0, label_id: 3, attributes: [{ spec_id: 20, value: '' }] }] }, ['spec_id `20` is invalid']],
    [
      { tracks: [{ frame: 0, label_id: 1, shapes: [], attributes: [{ spec_id: 20, value: '' }] }] },
      ['spec_id `20` is invalid'],
    ],
    [
      { tracks: [{ frame: 0, label_id: 1, shapes: [{ ...point, attributes: [{ spec_id: 21, value: '' }] }] }] },
      ['spec_id `21` is invalid'],
    ],
    [
      { shapes: [{ type: 'skeleton', frame: 0, label_id: 2, elements: [{ ...point, label_id: 1 }] }] },
      ['shapes[0].elements[0]: label_id `1` is not an element of the skeleton label `2`'],
    ],
  ])('rejects %j', (data, errors) => {
    expect(() => checkLabels(parseLabeledData(data, { action: 'create' }), labels)).toThrow(
      expect.objectContaining({ errors }),
    );
  });
});
