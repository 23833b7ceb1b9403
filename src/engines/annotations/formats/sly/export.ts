import type { FrameShape } from '../annotated-frames.js';
import type { Dataset, DatasetLabel, DatasetTask } from '../dataset.js';
import type { AnnotationSource, ExportFormat, FileSink } from '../format.js';
import { shapeAttributes } from '../items/attributes.js';
import { cloudItemsWith, cuboidOf, isCuboid, relatedNames, type Triple } from '../items/clouds.js';
import { type AnnotatedItem, annotatedItems } from '../items/items.js';
import { LabelNames } from '../label-names.js';
import { inPieces } from '../text-pieces.js';
import { keysOf, type Keys } from './keys.js';

const itemsOf = cloudItemsWith(() => '');

/** Supervisely's format for point clouds: cuboids with attributes, and tracks as objects that several frames share. */
export const slyExport: ExportFormat = {
  info: { name: 'Sly Point Cloud Format 1.0', ext: 'ZIP', version: '1.0', enabled: true, dimension: '3d' },
  imagePath: (frame, _task, dataset) => `ds0/pointcloud/${itemsOf(dataset).of(frame).image}`,
  relatedPaths(frame, dataset) {
    const { id } = itemsOf(dataset).of(frame);
    return relatedNames(frame).map((name) => `${relatedFolder(id)}/${name}`);
  },
  async write(dataset, source, sink, { withImages }) {
    const writer = new SlyWriter(dataset, await trackCount(dataset, source));
    for await (const item of annotatedItems(dataset, source, itemsOf(dataset))) {
      await sink.addFile(`ds0/ann/${item.image}.json`, inPieces(writer.annotationsOf(item)));
    }
    await sink.addFile('meta.json', Buffer.from(JSON.stringify(writer.meta(), null, 2)));
    await sink.addFile('key_id_map.json', inPieces(writer.keyIdMap(source)));
    if (withImages)
      for (const { frame, id } of itemsOf(dataset).all) await addImageFiles(sink, relatedNames(frame), id);
  },
};

const relatedFolder = (id: string): string => `ds0/related_images/${id}_pcd`;

/** Files that describe the context images; calibrations are unknown. */
async function addImageFiles(sink: FileSink, names: readonly string[], id: string): Promise<void> {
  const sensorsData = { extrinsicMatrix: zeros(12), intrinsicMatrix: zeros(9) };
  for (const name of names) {
    const text = JSON.stringify({ name, meta: { sensorsData } }, null, 2);
    await sink.addFile(`${relatedFolder(id)}/${name}.json`, Buffer.from(text));
  }
}

const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);

async function trackCount({ tasks }: Dataset, source: AnnotationSource): Promise<number> {
  let count = 0;
  for (const task of tasks) for await (const tracks of source.tracks(task)) count += tracks.length;
  return count;
}

/** An attribute as Supervisely describes it. */
interface SlyTag {
  readonly name: string;
  readonly isNumber: boolean;
}

/** A cuboid with the number and key of its object. */
interface KeyedCuboid {
  readonly shape: FrameShape;
  readonly object: number;
  readonly key: string;
}

class SlyWriter {
  private readonly keys: Keys;
  private readonly labels: LabelNames;
  private readonly tags: readonly SlyTag[];
  private readonly numbers: ReadonlySet<string>;
  /** Numbers of the objects of all frames. */
  private readonly objects = new Set<number>();
  private hasTracks = false;

  /** @param tracks number of tracks of the dataset; single cuboids are numbered after them */
  constructor(
    private readonly dataset: Dataset,
    private readonly tracks: number,
  ) {
    this.keys = keysOf(`${dataset.kind} ${dataset.id} ${dataset.dumped.toISOString()}`);
    this.labels = new LabelNames(dataset.labels);
    this.tags = tagsOf(dataset.labels);
    this.numbers = new Set(this.tags.filter(({ isNumber }) => isNumber).map(({ name }) => name));
  }

  /** The file of a frame. */
  async *annotationsOf(item: AnnotatedItem): AsyncGenerator<string> {
    const stamp = stampOf(item.task);
    const cuboids = this.numbered(item.index, item.shapes).map((cuboid) => ({
      ...cuboid,
      key: this.keys('object', cuboid.object),
    }));
    const tags = imageTags(this.dataset).map((tag, at) => ({
      key: this.keys('tag', item.index, at),
      ...tag,
      ...stamp,
    }));
    yield `{\n  "description": "",\n  "key": "${this.keys('video', item.index)}",\n  "tags": `;
    yield* jsonList(tags);
    yield ',\n  "objects": ';
    yield* jsonList(mapped(distinct(cuboids), (cuboid) => this.objectOf(item, cuboid, stamp)));
    yield ',\n  "figures": ';
    yield* jsonList(
      mapped(cuboids, ({ shape, key, figure }) => ({
        key: figure,
        objectKey: key,
        geometryType: 'cuboid_3d',
        geometry: geometryOf(shape),
        ...stamp,
      })),
    );
    yield '\n}';
  }

  /** Numbers of objects: those of tracks, then those of single cuboids, which are counted from frame to frame. */
  private numbered(frame: number, shapes: readonly FrameShape[]) {
    return shapes.filter(isCuboid).map((shape, at) => {
      const object = shape.track ?? this.tracks + this.single++;
      this.objects.add(object);
      this.hasTracks ||= shape.track !== undefined;
      return { shape, object, figure: this.keys('figure', frame, at) };
    });
  }

  private single = 0;

  private objectOf({ index }: AnnotatedItem, { shape, object, key }: KeyedCuboid, stamp: object): object {
    const tags = shapeAttributes(shape, this.labels)
      .filter(({ name }) => name !== 'track_id')
      .map(({ name, value }, at) => ({
        key: this.keys('tag', index, object, at),
        name,
        value: this.numbers.has(name) ? value : String(value),
        ...stamp,
      }));
    return {
      key,
      classTitle: this.labels.get(shape.label_id).name,
      tags,
      objects: [],
      figures: [],
      ...stamp,
    };
  }

  /** The classes and tags. Call it after all frames have been written. */
  meta(): object {
    const own = [...this.tags.filter(({ name }) => name !== 'occluded'), { name: 'occluded', isNumber: false }];
    const described = [
      ...own.map(({ name, isNumber }) => ({ name, type: isNumber ? 'any_number' : 'any_string', to: 'objectsOnly' })),
      ...imageTags(this.dataset).map(({ name, value }) => ({ name, type: 'any_string', to: 'imagesOnly', value })),
      ...(this.hasTracks ? [{ name: 'keyframe', type: 'any_string', to: 'objectsOnly' }] : []),
    ];
    return {
      classes: this.dataset.labels.map(({ name }, id) => ({
        id,
        title: name,
        color: '',
        shape: 'cuboid_3d',
        geometry_config: {},
      })),
      tags: described.map(({ name, type, to, ...value }, at) => ({
        name,
        value_type: type,
        color: '',
        id: at + 1,
        hotkey: '',
        applicable_type: to,
        classes: [],
        ...value,
      })),
      projectType: 'point_clouds',
    };
  }

  /** The numbers that belong to keys. Call it after all frames have been written. */
  async *keyIdMap(source: AnnotationSource): AsyncGenerator<string> {
    const { all } = itemsOf(this.dataset);
    const perImage = imageTags(this.dataset).length;
    yield '{\n  "tags": ';
    yield* jsonMap(
      all.flatMap((item) =>
        Array.from({ length: perImage }, (_, at): [string, number] => [
          this.keys('tag', item.index, at),
          item.index * perImage + at + 1,
        ]),
      ),
    );
    yield ',\n  "objects": ';
    yield* jsonMap(mapped(this.objects, (object): [string, number] => [this.keys('object', object), object]));
    yield ',\n  "figures": ';
    yield* jsonMap(this.figures(source));
    yield ',\n  "videos": ';
    yield* jsonMap(mapped(all, ({ index, frame }): [string, number] => [this.keys('video', index), frame.number]));
    yield '\n}';
  }

  /** Figures have the numbers of their cuboids: 0 for those of tracks. */
  private async *figures(source: AnnotationSource): AsyncGenerator<[string, number]> {
    this.single = 0;
    for await (const { index, shapes } of annotatedItems(this.dataset, source, itemsOf(this.dataset))) {
      for (const { shape, object, figure } of this.numbered(index, shapes))
        yield [figure, shape.track === undefined ? object : 0];
    }
  }
}

/** The attributes of labels. One that some labels have as a number and others as a text is a text. */
function tagsOf(labels: readonly DatasetLabel[]): SlyTag[] {
  const kinds = new Map<string, boolean>();
  for (const { attributes } of labels) {
    for (const { name, inputType } of attributes) kinds.set(name, inputType === 'number' && (kinds.get(name) ?? true));
  }
  return Array.from(kinds, ([name, isNumber]) => ({ name, isNumber }));
}

/** The tags of every frame: the owner's name and the labels. */
const imageTags = ({ owner, labels }: Dataset): { readonly name: string; readonly value: unknown }[] => [
  { name: 'name', value: owner?.username ?? '' },
  {
    name: 'labels',
    value: labels.map(({ name, color, type }, label_id) => ({ label_id, name, color, type })),
  },
];

/** When a user changed something; the task's dates stand for those of its annotations. */
const stampOf = ({ created, updated }: DatasetTask): object => ({
  labelerLogin: '',
  createdAt: timestamp(created),
  updatedAt: timestamp(updated),
});

/** Format: `2026-11-23 21:54:47.868000+00:00`. */
const timestamp = (time: Date): string => time.toISOString().replace('T', ' ').replace('Z', '000+00:00');

function geometryOf(shape: FrameShape): object {
  const { position, rotation, scale } = cuboidOf(shape);
  const point = ([x, y, z]: Triple): object => ({ x, y, z });
  return { position: point(position), rotation: point(rotation), dimensions: point(scale) };
}

function* distinct<Cuboid extends { readonly object: number }>(cuboids: readonly Cuboid[]): Generator<Cuboid> {
  const seen = new Set<number>();
  for (const cuboid of cuboids) {
    if (!seen.has(cuboid.object)) yield cuboid;
    seen.add(cuboid.object);
  }
}

function* mapped<From, To>(values: Iterable<From>, change: (value: From) => To): Generator<To> {
  for (const value of values) yield change(value);
}

/** What JSON.stringify writes around the elements of a list that is a property. */
const [BEFORE, AFTER] = ['{\n  "": [', '\n  ]\n}'] as const;

/** A list that is a property of the root, element by element. */
function* jsonList(values: Iterable<object>): Generator<string> {
  let separator = '[';
  for (const value of values) {
    yield separator + JSON.stringify({ '': [value] }, null, 2).slice(BEFORE.length, -AFTER.length);
    separator = ',';
  }
  yield separator === '[' ? '[]' : '\n  ]';
}

/** An object that is a property of the root, property by property. */
async function* jsonMap(entries: Iterable<[string, number]> | AsyncIterable<[string, number]>): AsyncGenerator<string> {
  let separator = '{\n    ';
  for await (const [key, value] of entries) {
    yield `${separator}"${key}": ${value}`;
    separator = ',\n    ';
  }
  yield separator.startsWith('{') ? '{}' : '\n  }';
}
