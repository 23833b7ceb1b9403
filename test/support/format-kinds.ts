import fc from 'fast-check';
import type { Dataset, DatasetLabel, DatasetTask } from '../../src/engines/annotations/formats/dataset.js';
import type { ImportTarget } from '../../src/engines/annotations/formats/format.js';
import { interpolateTrack } from '../../src/shared/annotations/interpolate.js';
import type { FrameShape, LabeledData, Shape, Tag } from '../../src/shared/annotations/model.js';
import { cloudTask, cuboidPoints } from './cloud-datasets.js';
import {
  datasetOf,
  pixelMaskPoints,
  plainLabel,
  pointsOf,
  shapeOf,
  testLabels,
  testTask,
  trackOf,
} from './datasets.js';

type Data = Partial<LabeledData>;
type Values = Shape['attributes'];

/** A label with attributes that are texts, for formats that know one label only. */
const ownLabel = (id: number, name: string, attributes: readonly string[]): DatasetLabel => ({
  ...plainLabel(id, name),
  attributes: attributes.map((attribute, at) => ({
    id: id + at + 1,
    name: attribute,
    mutable: false,
    inputType: 'text',
    defaultValue: '',
    values: [],
  })),
});

const market = ownLabel(20, 'market-1501', ['query', 'person_id', 'camera_id']);
const icdar = ownLabel(30, 'icdar', ['text']);
/** In different colours, because some formats tell labels apart only by them. */
const labels: readonly DatasetLabel[] = [...testLabels, market, icdar].map((label, at) => ({
  ...label,
  color: `#${String(at + 1).repeat(6)}`,
}));

const MARKET_VALUES: Values = ['True', '12', '3'].map((value, at) => ({ spec_id: 21 + at, value }));
const ICDAR_VALUES: Values = [{ spec_id: 31, value: 'exit' }];

/** What objects are made with, so that a format can express them. */
interface Subject {
  readonly label_id: number;
  readonly attributes: Values;
  /** The number of points of an object of type points. */
  readonly landmarks?: number;
  /** Whether points need a tag on their frame. */
  readonly isTagged?: boolean;
  readonly is3d?: boolean;
}

function subjectOf(format: string, is3d: boolean): Subject {
  if (format.startsWith('Market')) return { label_id: 20, attributes: MARKET_VALUES };
  if (format.startsWith('ICDAR')) return { label_id: 30, attributes: ICDAR_VALUES };
  if (format.startsWith('VGGFace2')) return { label_id: 2, attributes: [], landmarks: 5 };
  if (format.startsWith('LFW')) return { label_id: 2, attributes: [], landmarks: 5, isTagged: true };
  return { label_id: 2, attributes: [], is3d };
}

const tagOn = (frame: number, { label_id, attributes }: Pick<Subject, 'label_id' | 'attributes'>): Tag => ({
  id: null,
  label_id,
  frame,
  group: 0,
  source: 'manual',
  attributes: structuredClone(attributes),
});

const frames = fc.nat(3);

type Kind = (subject: Subject) => fc.Arbitrary<Data>;

const shaped =
  (type: keyof typeof pointsOf, points = pointsOf[type]): Kind =>
  (subject) =>
    fc.record({ points: subject.is3d === true ? cuboidPoints : points, frame: frames }).map((one) => ({
      shapes: [shapeOf(type, one.points, { ...common(subject), frame: one.frame })],
    }));

const common = ({ label_id, attributes }: Subject): Pick<Shape, 'label_id' | 'attributes'> => ({
  label_id,
  attributes: structuredClone(attributes),
});

/** Large enough to cover pixels at any angle. */
const boxes = pointsOf.rectangle.filter(
  ([left = 0, top = 0, right = 0, bottom = 0]) => right - left > 4 && bottom - top > 4,
);

const turned: Kind = (subject) =>
  fc
    .record({ points: boxes, frame: frames, rotation: fc.integer({ min: 5, max: 85 }) })
    .map(({ points, ...more }) => ({ shapes: [shapeOf('rectangle', points, { ...common(subject), ...more })] }));

const landmarks: Kind = (subject) => {
  const count = subject.landmarks ?? 3;
  const points = fc.array(pointsOf.points, { minLength: count, maxLength: count });
  return fc
    .record({ points: points.map((list) => list.flatMap((each) => each.slice(0, 2))), frame: frames })
    .map((one): Data => ({
      shapes: [shapeOf('points', one.points, { ...common(subject), frame: one.frame })],
      tags: subject.isTagged === true ? [tagOn(one.frame, subject)] : [],
    }));
};

const triangles = boxes.map(([left = 0, top = 0, right = 0, bottom = 0]) => [left, top, right, top, right, bottom]);

const joint = (label_id: number, points: readonly number[], frame: number): Shape =>
  shapeOf('points', points.slice(0, 2), { label_id, frame });

const skeleton: Kind = () =>
  fc.record({ head: pointsOf.points, hand: pointsOf.points, frame: frames }).map(({ head, hand, frame }) => ({
    shapes: [shapeOf('skeleton', [], { label_id: 3, frame, elements: [joint(4, head, frame), joint(5, hand, frame)] })],
  }));

const track: Kind = (subject) => {
  const points = subject.is3d === true ? cuboidPoints : pointsOf.rectangle;
  const type = subject.is3d === true ? ('cuboid' as const) : ('rectangle' as const);
  return fc.record({ first: points, last: points }).map(({ first, last }) => ({
    tracks: [
      trackOf(
        [
          { type, frame: 0, points: first },
          { type, frame: 3, points: last },
        ],
        common(subject),
      ),
    ],
  }));
};

const KINDS = {
  tag: (subject: Subject) => frames.map((frame) => ({ tags: [tagOn(frame, subject)] })),
  rectangle: shaped('rectangle', boxes),
  'rotated rectangle': turned,
  ellipse: shaped('ellipse'),
  polygon: shaped('polygon', triangles),
  polyline: shaped('polyline'),
  points: landmarks,
  cuboid: shaped('cuboid'),
  mask: shaped('mask', pixelMaskPoints),
  skeleton,
  track,
} satisfies Record<string, Kind>;

export type KindName = keyof typeof KINDS;

/** The kinds of annotations, in the order of the table in docs/formats.md. */
export const KIND_NAMES = Object.keys(KINDS) as KindName[];

/** Data with one object of the kind, which the format can express if it can express the kind at all. */
export const anyOf = (kind: KindName, format: string, is3d: boolean): fc.Arbitrary<Data> =>
  KINDS[kind](subjectOf(format, is3d));

/** Names in place of those of the images, or of a label. */
export interface OtherNames {
  readonly images?: readonly string[];
  readonly label?: { readonly id: number; readonly name: string };
}

const namedLabels = ({ label }: OtherNames): DatasetLabel[] =>
  labels.map((each) => (each.id === label?.id ? { ...each, name: label.name } : each));

const namedTask = (is3d: boolean, { images = [] }: OtherNames): DatasetTask => {
  const task = is3d ? cloudTask : testTask;
  return { ...task, frames: task.frames.map((frame, at) => ({ ...frame, name: images[at] ?? frame.name })) };
};

/** A task of images or point clouds whose labels fit every format. */
export const kindsDataset = (is3d: boolean, names: OtherNames = {}): Dataset => ({
  ...datasetOf(namedTask(is3d, names)),
  labels: namedLabels(names),
});

export const kindsTarget = (is3d: boolean, mode: ImportTarget['mode']): ImportTarget => ({
  labels,
  frames: (is3d ? cloudTask : testTask).frames,
  mode,
  masksToPolygons: false,
});

/** An object without what depends on the representation: pixels of masks, positions of tracks on every frame. */
export interface Placed {
  readonly kind: KindName;
  readonly label_id: number;
  readonly frame: number;
  readonly numbers: readonly number[];
}

/** The objects in an order that does not depend on that of files. */
export function placedObjects({ tags = [], shapes = [], tracks = [] }: Data): Placed[] {
  const tagged = tags.map(({ label_id, frame }): Placed => ({ kind: 'tag', label_id, frame, numbers: [] }));
  const drawn = shapes.map((shape): Placed => ({ ...placeOf(shape), kind: kindOf(shape), numbers: numbersOf(shape) }));
  const followed = tracks.map((each): Placed => ({
    ...placeOf(each),
    kind: 'track',
    numbers: interpolateTrack(each, [0, 1, 2, 3]).flatMap(({ points }) => points),
  }));
  return [...tagged, ...drawn, ...followed].toSorted((a, b) => KIND_NAMES.indexOf(a.kind) - KIND_NAMES.indexOf(b.kind));
}

const placeOf = ({ label_id, frame }: Shape | Tag | LabeledData['tracks'][number]) => ({ label_id, frame });

const kindOf = ({ type, rotation }: FrameShape): KindName =>
  type === 'rectangle' && rotation !== 0 ? 'rotated rectangle' : type;

function numbersOf({ type, points, rotation, elements }: Shape): number[] {
  if (type === 'mask') return pixelsOf(points);
  const of = elements.toSorted((a, b) => a.label_id - b.label_id).flatMap((element) => element.points);
  return [...points, rotation, ...of];
}

/** The coordinates of the pixels of a mask. */
function pixelsOf(points: readonly number[]): number[] {
  const [left = 0, top = 0, right = 0] = points.slice(-4);
  const pixels: number[] = [];
  let at = 0;
  points.slice(0, -4).forEach((run, index) => {
    for (const end = at + run; at < end; at += 1) {
      if (index % 2 === 0) continue;
      pixels.push(left + (at % (right - left + 1)), top + Math.floor(at / (right - left + 1)));
    }
  });
  return pixels;
}

/** How objects of a kind get a property, and whether what comes back has it. */
interface Property {
  readonly set: (object: Shape | Tag) => void;
  readonly isOn: (objects: readonly (Shape | Tag)[]) => boolean;
}

const CAR_VALUES: Values = [
  { spec_id: 11, value: 'volvo' },
  { spec_id: 12, value: 'true' },
];
const bySpec = (values: Values): string =>
  JSON.stringify(values.toSorted((a, b) => a.spec_id - b.spec_id).filter(({ value }) => value !== ''));

const PROPERTIES = {
  attributes: {
    set: (object) => {
      if (object.attributes.length > 0) return;
      object.label_id = 1;
      object.attributes = structuredClone(CAR_VALUES);
    },
    isOn: (objects) =>
      objects.every(({ attributes }) =>
        [CAR_VALUES, MARKET_VALUES, ICDAR_VALUES].some((values) => bySpec(values) === bySpec(attributes)),
      ),
  },
  occluded: {
    set: (object) => Object.assign(object, 'occluded' in object && { occluded: true }),
    isOn: (objects) => objects.every((object) => 'occluded' in object && object.occluded),
  },
  group: {
    set: (object) => (object.group = 1),
    isOn: (objects) => objects.length === 2 && objects.every(({ group }) => group !== 0 && group === objects[0]?.group),
  },
  layer: {
    set: (object) => Object.assign(object, 'z_order' in object && { z_order: 3 }),
    isOn: (objects) => objects.every((object) => 'z_order' in object && object.z_order === 3),
  },
} satisfies Record<string, Property>;

export type PropertyName = keyof typeof PROPERTIES;

/** The properties of annotations, in the order of the table in docs/formats.md. */
export const PROPERTY_NAMES = Object.keys(PROPERTIES) as PropertyName[];

/** An object of the kind with the property; for a group, two on one frame. */
export const anyWith = (property: PropertyName, kind: KindName, format: string, is3d: boolean): fc.Arbitrary<Data> =>
  fc.tuple(anyOf(kind, format, is3d), anyOf(kind, format, is3d)).map(([first, second]) => {
    const all = property === 'group' ? [first, second] : [first];
    const shapes = all.flatMap((data) => data.shapes ?? []);
    const tags = all.flatMap((data) => data.tags ?? []);
    for (const element of shapes.flatMap(({ elements }) => elements)) element.frame = 1;
    for (const object of [...shapes, ...tags]) {
      object.frame = 1;
      PROPERTIES[property].set(object);
    }
    return { shapes, tags };
  });

/** The objects with a value of a text attribute. */
export function withText({ shapes = [], tags = [] }: Data, format: string, value: string): Data {
  const [label_id, spec_id] = format.startsWith('ICDAR') ? [30, 31] : [1, 11];
  const attributes = [{ spec_id, value }];
  return {
    shapes: shapes.map((shape) => ({ ...shape, label_id, attributes })),
    tags: tags.map((tag) => ({ ...tag, label_id, attributes })),
  };
}

/** The value of the attribute, see {@link withText}. */
export const textOf = ({ attributes }: Shape | Tag): string | undefined =>
  attributes.find(({ spec_id }) => spec_id === 11 || spec_id === 31)?.value;

/** Whether there are objects, and all have the property. */
export function hasProperty(property: PropertyName, { shapes = [], tags = [] }: Data): boolean {
  const objects = shapes.length > 0 ? shapes : tags;
  return objects.length > 0 && PROPERTIES[property].isOn(objects);
}
