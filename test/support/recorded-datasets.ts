import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode } from 'fast-png';
import { unzipSync } from 'fflate';
import { parse } from 'yaml';
import type {
  Dataset,
  DatasetFrame,
  DatasetLabel,
  DatasetTask,
} from '../../src/engines/annotations/formats/dataset.js';
import type { ImportTarget } from '../../src/engines/annotations/formats/format.js';
import { distinctNames, videoFrameName } from '../../src/engines/annotations/formats/dataset.js';
import { emptyData, type LabeledData, type ShapeType } from '../../src/shared/annotations/model.js';
import { testTask } from './datasets.js';

const folder = join(import.meta.dirname, '../../../shared/golden/formats');

/** Whether the recorded archives of CVAT 2.42 are on this machine. */
export const hasRecordedDatasets = existsSync(folder);

export interface RecordedLabel {
  readonly name: string;
  readonly color?: string;
  readonly type?: string;
  readonly svg?: string;
  readonly attributes: readonly {
    readonly name: string;
    readonly mutable: boolean;
    readonly input_type: string;
    readonly default_value: string;
    readonly values: readonly string[];
  }[];
  readonly sublabels?: readonly RecordedLabel[];
}

interface RecordedObject {
  readonly label: string;
  readonly frame: number;
  readonly group?: number;
  readonly source?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly type?: ShapeType;
  readonly points?: readonly number[];
  readonly occluded?: boolean;
  readonly outside?: boolean;
  readonly z_order?: number;
  readonly rotation?: number;
  readonly elements?: readonly RecordedObject[];
  readonly shapes?: readonly RecordedObject[];
}

export interface RecordedData {
  readonly tags?: readonly RecordedObject[];
  readonly shapes?: readonly RecordedObject[];
  readonly tracks?: readonly RecordedObject[];
}

interface RecordedTask {
  readonly subset?: string;
  readonly images?: readonly (readonly [name: string, width: number, height: number])[];
  readonly video?: readonly [name: string, width: number, height: number, frames: number];
  readonly clouds?: readonly string[];
  readonly related?: Readonly<Record<string, string>>;
  readonly annotations: RecordedData;
}

interface RecordedState extends RecordedTask {
  readonly labels: readonly RecordedLabel[];
  readonly tasks?: readonly RecordedTask[];
}

/** A recorded task or project: what an export is made of, and what an import goes into. */
export interface RecordedDataset {
  readonly name: string;
  readonly dataset: Dataset;
  /** Of the tasks of the dataset, in order. */
  readonly annotations: readonly LabeledData[];
  readonly target: ImportTarget;
}

/** @param name such as `images2d`; `images2d-project` is all of its tasks, the others are the first task */
export function recordedDataset(name: string): RecordedDataset {
  const isProject = name.endsWith('-project');
  const state = readJson(`state-${name.replace('-project', '')}.json`) as RecordedState;
  const labels = datasetLabels(state.labels);
  const recorded = isProject ? (state.tasks ?? []) : [state.tasks?.[0] ?? state];
  const tasks = distinctNames(recorded.map((task, at) => toTask(task, at)));
  const [first = testTask] = tasks;
  return {
    name,
    dataset: { ...first, kind: isProject ? 'project' : 'task', labels, tasks, dumped: first.created },
    annotations: recorded.map((task) => toData(isProject ? task.annotations : stored(name), labels)),
    target: { labels, frames: first.frames, mode: first.mode, masksToPolygons: true },
  };
}

/** The annotations of a task in the order in which they are stored, which numbers its tracks. */
const stored = (name: string): RecordedData => readJson(join(name, 'annotations.json')) as RecordedData;

/** The files of a recorded archive. @param file such as `camvid-1.0.images.zip`; undefined if there is none */
export function recordedArchive(name: string, file: string): Map<string, Buffer> | undefined {
  const path = join(folder, name, file);
  if (!existsSync(path)) return undefined;
  const entries = Object.entries(unzipSync(readFileSync(path))).filter(([each]) => !each.endsWith('/'));
  return new Map(entries.map(([each, content]) => [each, Buffer.from(content)]));
}

/** What an import gave in CVAT; undefined if there is no record, or the import failed there. */
export function recordedImport(name: string, file: string): RecordedData | undefined {
  if (!existsSync(join(folder, name, file))) return undefined;
  const found = readJson(join(name, file)) as RecordedData | { readonly error: unknown };
  return 'error' in found ? undefined : found;
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));

/** Labels as a setup lists them, with ids. */
export function datasetLabels(recorded: readonly RecordedLabel[]): DatasetLabel[] {
  let id = 0;
  const toLabel = (label: RecordedLabel, parentId: number | null): DatasetLabel => ({
    id: ++id,
    name: label.name,
    color: label.color ?? '#000000',
    type: label.type ?? 'any',
    parentId,
    svg: label.svg ?? '',
    attributes: label.attributes.map((attribute) => ({
      id: ++id,
      name: attribute.name,
      mutable: attribute.mutable,
      inputType: attribute.input_type,
      defaultValue: attribute.default_value,
      values: attribute.values,
    })),
  });
  return recorded.flatMap((label) => {
    const parent = toLabel(label, null);
    return [parent, ...(label.sublabels ?? []).map((element) => toLabel(element, parent.id))];
  });
}

function toTask(recorded: RecordedTask, at: number): DatasetTask {
  const frames = framesOf(recorded);
  return {
    ...testTask,
    id: at + 1,
    size: frames.length,
    mode: recorded.video === undefined ? 'annotation' : 'interpolation',
    subset: recorded.subset ?? '',
    stopFrame: frames.length - 1,
    video: recorded.video?.[0] ?? null,
    frames,
  };
}

function framesOf({ images, video, clouds = [], related = {} }: RecordedTask): DatasetFrame[] {
  if (images !== undefined) {
    return images.map(([name, width, height], frame) => ({ frame, number: frame, name, width, height }));
  }
  if (video === undefined) {
    return clouds.map((name, frame) => {
      const image = related[name.replace('.pcd', '')];
      const location = { frame, number: frame, name: `pointcloud/${name}`, width: 0, height: 0 };
      return image === undefined
        ? location
        : { ...location, related: [`related_images/${name.replace('.', '_')}/${image}`] };
    });
  }
  const [, width, height, count] = video;
  return Array.from({ length: count }, (_, frame) => ({
    frame,
    number: frame,
    name: videoFrameName(frame),
    width,
    height,
  }));
}

/** Records name the element of a skeleton `skeleton/element`. */
const ownName = (name: string): string => name.split('/').at(-1) ?? '';

/** @returns the annotations in the order of their frames, without ids */
export function toData(
  { tags = [], shapes = [], tracks = [] }: RecordedData,
  labels: readonly DatasetLabel[],
): LabeledData {
  const named = (name: string, parentId: number | null): DatasetLabel => {
    const label = labels.find((each) => each.name === ownName(name) && each.parentId === parentId);
    if (label === undefined) throw new Error(`no label ${name}`);
    return label;
  };
  const values = (label: DatasetLabel, attributes: Readonly<Record<string, string>> = {}) =>
    Object.entries(attributes).map(([name, value]) => ({
      spec_id: label.attributes.find((each) => each.name === name)?.id ?? 0,
      value,
    }));
  const labeled = (object: RecordedObject, parentId: number | null) => {
    const label = named(object.label, parentId);
    const { frame, group = 0, source = 'manual', attributes } = object;
    return { id: null, label_id: label.id, frame, group, source, attributes: values(label, attributes) };
  };
  const geometry = (object: RecordedObject) => ({
    type: object.type ?? ('rectangle' as const),
    points: [...(object.points ?? [])],
    occluded: object.occluded ?? false,
    outside: object.outside ?? false,
    z_order: object.z_order ?? 0,
    rotation: object.rotation ?? 0,
  });
  const shape = (object: RecordedObject, parentId: number | null) => ({
    ...labeled(object, parentId),
    ...geometry(object),
    score: 1,
  });
  const track = (object: RecordedObject, parentId: number | null) => {
    const label = named(object.label, parentId);
    const keyframes = (object.shapes ?? []).map((keyframe) => ({
      id: null,
      frame: keyframe.frame,
      ...geometry(keyframe),
      attributes: values(label, keyframe.attributes),
    }));
    return { ...labeled(object, parentId), shapes: keyframes };
  };
  const elementsOf = <T>(object: RecordedObject, each: (element: RecordedObject, parentId: number) => T): T[] =>
    (object.elements ?? []).map((element) =>
      each({ ...element, frame: element.frame ?? object.frame }, named(object.label, null).id),
    );
  return {
    ...emptyData(),
    tags: tags.map((tag) => labeled(tag, null)).toSorted((a, b) => a.frame - b.frame),
    shapes: shapes
      .map((object) => ({ ...shape(object, null), elements: elementsOf(object, shape) }))
      .toSorted((a, b) => a.frame - b.frame),
    tracks: tracks.map((object) => ({ ...track(object, null), elements: elementsOf(object, track) })),
  };
}

/** Annotations with names instead of ids, as recorded; attributes with their defaults, polygons of masks as areas. */
export function recordedForm(data: LabeledData | RecordedData, labels: readonly DatasetLabel[]): unknown {
  const nameOf = (object: object): string => {
    if ('label' in object) return ownName(String(object.label));
    return labels.find(({ id }) => 'label_id' in object && id === object.label_id)?.name ?? '';
  };
  const valuesOf = (attributes: unknown): Record<string, string> => {
    if (!Array.isArray(attributes)) {
      const entries = Object.entries((attributes ?? {}) as Record<string, string>);
      // CVAT keeps the `.0` that files have.
      return Object.fromEntries(entries.map(([name, value]) => [name, value.replace(/^(-?\d+)\.0$/, '$1')]));
    }
    const specs = labels.flatMap((label) => label.attributes);
    return Object.fromEntries(
      attributes.map(({ spec_id, value }: { spec_id: number; value: string }) => [
        specs.find(({ id }) => id === spec_id)?.name ?? '',
        value,
      ]),
    );
  };
  const plain = (
    object: RecordedObject | LabeledData['shapes'][number] | LabeledData['tracks'][number],
    ofTrack?: Record<string, string>,
  ): object => {
    const { frame, group, source, type, points, occluded, outside, z_order, rotation, elements, shapes } =
      object as RecordedObject;
    const label = nameOf(object);
    const defaults = (isMutable?: boolean): Record<string, string> =>
      Object.fromEntries(
        (labels.find(({ name }) => name === label)?.attributes ?? [])
          .filter(({ mutable }) => isMutable === undefined || mutable === isMutable)
          .map(({ name, defaultValue }) => [name, defaultValue]),
      );
    const isKeyframe = !('label' in object) && !('label_id' in object);
    return {
      ...(!isKeyframe && { label, group: group ?? 0, source }),
      frame,
      ...(type !== undefined && { type, points: (points ?? []).map((value) => Math.round(value * 100) / 100) }),
      ...(type !== undefined && { occluded, outside, z_order, rotation: Math.round((rotation ?? 0) * 100) / 100 }),
      attributes: { ...(ofTrack ?? defaults(shapes && false)), ...valuesOf(object.attributes) },
      ...(shapes !== undefined && { shapes: shapes.map((each) => plain(each, defaults(true))) }),
      ...((elements?.length ?? 0) > 0 && { elements: sorted(elements) }),
    };
  };
  const sorted = (objects: readonly object[] = []): object[] =>
    objects
      .map((object) => plain(object as RecordedObject))
      .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { tags: sorted(data.tags), shapes: sorted(data.shapes), tracks: sorted(data.tracks) };
}

/**
 * The text of a file of the Supervisely format, in which a key is replaced by its number. Keys are random, and tags have
 * dates and an order that mean nothing.
 */
export function slyText(text: string, files: ReadonlyMap<string, Buffer>): string {
  const maps = JSON.parse(String(files.get('key_id_map.json'))) as Record<string, Record<string, number>>;
  const names = new Map<string, string>();
  for (const [kind, keys] of Object.entries(maps))
    for (const [key, number] of Object.entries(keys)) names.set(key, `${kind} ${number}`);
  const plain = JSON.parse(
    text.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (key) => names.get(key) ?? 'a tag of an object'),
    (key, value: unknown) => {
      if (key === 'createdAt' || key === 'updatedAt' || (key === 'value' && /^(?:admin1|anna)$/.test(String(value))))
        return '';
      return key === 'tags' && Array.isArray(value)
        ? value.map((tag) => JSON.stringify({ ...tag, id: 0 })).sort()
        : value;
    },
  ) as object;
  return JSON.stringify(plain);
}

/** The text of KITTI tracklets in alphabetical order, since they have none. */
const trackletText = (text: string): string =>
  text
    .replaceAll(/ version="\d" tracking_level="\d" class_id="\d"/g, '')
    .split(/(?=\n {2}<item>)|(?=\n<\/tracklets>)/)
    .sort()
    .join('');

/** A file in a form that can be compared: pixels, parsed JSON, or text whose numbers have two or five decimals. */
export function comparable(path: string, content: Buffer, decimals = 2): unknown {
  if (path.endsWith('.png')) {
    const { width, height, channels, depth, data } = decode(content);
    return { width, height, channels, depth, data: Array.from(data) };
  }
  if (path.endsWith('.bmp')) return content.toString('base64');
  const text = content.toString('utf8');
  if (path.endsWith('.yaml')) return parse(text);
  if (path === 'tracklet_labels.xml') return trackletText(text);
  if (path.endsWith('.json')) {
    return JSON.parse(text, (key, value: unknown) => {
      if (['joints', 'skeleton'].includes(key) && Array.isArray(value)) return value.map(String).toSorted(); // in no order
      return typeof value === 'number' ? Math.round(value * 10 ** decimals) / 10 ** decimals : value;
    });
  }
  return text.replaceAll(/-?\d+\.\d+(?:e-?\d+)?/g, (number) =>
    String(Math.round(Number(number) * 10 ** decimals) / 10 ** decimals),
  );
}
