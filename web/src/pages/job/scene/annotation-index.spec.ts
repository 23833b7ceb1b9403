import type { LabeledData, Shape, Track, TrackedShape } from '#shared/annotations/model';
import { AnnotationDocument } from '#shared/annotations/editing/document';
import { storedObjects } from '#shared/annotations/editing/edited-object';
import { AnnotationIndex } from './annotation-index';
import { cleanColor, colorOf, distinctColor, recolored } from './scene';

const labels = [
  { id: 1, name: 'car', color: '#FF0000', attributes: [{ id: 5, name: 'colour' }] },
  {
    id: 2,
    name: 'person',
    color: '#00ff00',
    attributes: [],
    sublabels: [
      { id: 21, name: 'head', color: '#111111', attributes: [] },
      { id: 22, name: 'foot', color: '#222222', attributes: [] },
    ],
    svg: '<circle data-node-id="1" data-label-id="21"><circle data-node-id="2" data-label-id="22"><line data-node-from="1" data-node-to="2">',
  },
];

const geometry = { occluded: false, outside: false, z_order: 0, rotation: 0, attributes: [] };
const common = { group: 0, source: 'manual', attributes: [] };
const shape = (values: Partial<Shape>): Shape => ({
  ...geometry,
  ...common,
  id: 1,
  label_id: 1,
  type: 'rectangle',
  frame: 0,
  points: [0, 0, 1, 1],
  score: 1,
  elements: [],
  ...values,
});
const tracked = (values: Partial<TrackedShape>): TrackedShape => ({
  ...geometry,
  id: 1,
  type: 'rectangle',
  frame: 0,
  points: [0, 0, 10, 10],
  ...values,
});
const data = (values: Partial<LabeledData>): LabeledData => ({
  version: 0,
  tags: [],
  shapes: [],
  tracks: [],
  intervals: [],
  ...values,
});

const indexOf = (content: LabeledData): AnnotationIndex =>
  new AnnotationIndex(new AnnotationDocument(storedObjects(content)), labels);

describe('AnnotationIndex', () => {
  it('gives each frame its tags and shapes, lowest layer first, with names of labels and attributes', () => {
    const index = indexOf(
      data({
        tags: [{ ...common, id: 9, label_id: 2, frame: 4 }],
        shapes: [
          shape({ id: 3, frame: 4, z_order: 2 }),
          shape({ id: 4, frame: 4, attributes: [{ spec_id: 5, value: 'red' }] }),
          shape({ id: 5, frame: 5 }),
        ],
      }),
    );
    expect(index.at(4).map(({ key }) => key)).toEqual(['shape:4', 'tag:9', 'shape:3']);
    expect(index.at(4)[0]).toMatchObject({
      labelName: 'car',
      labelColor: '#ff0000',
      attributes: [{ name: 'colour', value: 'red' }],
    });
    expect(index.at(6)).toEqual([]);
    expect(index.annotatedFrames()).toEqual(new Set([4, 5]));
  });

  it('interpolates tracks, and draws nothing where they are hidden', () => {
    const track: Track = {
      ...common,
      id: 7,
      label_id: 1,
      frame: 0,
      shapes: [tracked({}), tracked({ frame: 10, points: [10, 0, 20, 10] }), tracked({ frame: 12, outside: true })],
      elements: [],
    };
    const index = indexOf(data({ tracks: [track] }));
    expect(index.at(5)[0]).toMatchObject({
      key: 'track:7',
      keyframes: [0, 10, 12],
      bounds: { left: 5, top: 0, right: 15, bottom: 10 },
    });
    expect(index.at(13)[0]).toMatchObject({ outside: true, drawings: [] });
  });

  it('draws the edges of a skeleton between the elements that are visible, and occluded elements as rings', () => {
    const element = (id: number, x: number, states: Partial<Shape>) =>
      shape({ label_id: id, type: 'points', points: [x, x], ...states });
    const skeleton = (outside: boolean): Shape =>
      shape({
        label_id: 2,
        type: 'skeleton',
        points: [],
        elements: [element(21, 1, { occluded: true }), element(22, 8, { outside })],
      });
    const drawn = (outside: boolean) => indexOf(data({ shapes: [skeleton(outside)] })).at(0)[0]?.drawings;
    expect(drawn(false)).toEqual([
      { kind: 'path', points: [1, 1, 8, 8], closed: false, filled: false },
      { kind: 'dots', points: [1, 1], isHollow: true },
      { kind: 'dots', points: [8, 8] },
    ]);
    expect(drawn(true)).toEqual([{ kind: 'dots', points: [1, 1], isHollow: true }]);
  });
});

describe('colours', () => {
  it('of an object stay the same when it is saved', () => {
    const [object] = indexOf(data({ shapes: [shape({ id: 1 })] })).at(0);
    if (object === undefined) throw new Error('a shape was given');
    const [drawn, other] = ['shape:new-b2', 'shape:new-c3'].map((key) => ({ ...object, key, id: 0 }));
    if (drawn === undefined || other === undefined) throw new Error('two keys were given');
    const colors = [drawn, { ...drawn, id: 12 }, other].map((one) => colorOf(one, 'object', new Map()));
    expect(new Set(colors)).toEqual(new Set([colors[0], colors[2]]));
  });

  it('follow the label, the object or the group', () => {
    const [first, second] = indexOf(data({ shapes: [shape({ id: 1, group: 3 }), shape({ id: 2, group: 3 })] })).at(0);
    if (first === undefined || second === undefined) throw new Error('two shapes were given');
    expect([colorOf(first, 'label', new Map()), colorOf(second, 'label', new Map())]).toEqual(['#ff0000', '#ff0000']);
    expect(colorOf(first, 'object', new Map())).not.toBe(colorOf(second, 'object', new Map()));
    expect(colorOf(first, 'group', new Map())).toBe(distinctColor(3));
    expect(colorOf({ ...first, group: 0 }, 'group', new Map())).toBe('#9aa5b1');
  });

  it('are changed for all objects of a label, once for a group, or for one object', () => {
    const shapes = [shape({ id: 1, group: 3 }), shape({ id: 2, group: 3 })];
    const [first, second] = indexOf(data({ shapes })).at(0);
    if (first === undefined || second === undefined) throw new Error('two shapes were given');
    const label = recolored(new Map(), [first], 'label');
    expect(colorOf(second, 'label', label)).toBe(distinctColor(0));
    expect(colorOf(first, 'label', recolored(label, [first], 'label'))).toBe(distinctColor(1));
    const group = recolored(new Map(), [first, second], 'group');
    expect([first, second].map((one) => colorOf(one, 'group', group))).toEqual([distinctColor(4), distinctColor(4)]);
    const object = recolored(new Map(), [first], 'object');
    expect(colorOf(first, 'object', object)).not.toBe(colorOf(first, 'object', new Map()));
    expect(colorOf(second, 'object', object)).toBe(colorOf(second, 'object', new Map()));
    expect(recolored(new Map(), [{ ...first, group: 0 }], 'group').size).toBe(0);
  });

  it('are made of free text', () => {
    expect(['#AbC', '#A0b1C2', 'bogus', ''].map(cleanColor)).toEqual(['#aabbcc', '#a0b1c2', '#9aa5b1', '#9aa5b1']);
  });
});
