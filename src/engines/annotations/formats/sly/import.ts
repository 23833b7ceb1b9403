import {
  type DatasetFiles,
  datasetNotFound,
  FormatError,
  type FileLocation,
  type ImportFormat,
  refuse,
  shown,
} from '../format.js';
import { cuboidPoints, type Triple } from '../items/clouds.js';
import { matchesIn, rootOf } from '../items/dataset-root.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { isOtherSubset } from '../import-notes.js';
import { ItemImport } from '../items/item-import.js';
import { nameOnce } from '../items/unique-names.js';
import { readJsonLists, readJsonValue } from '../json-lists.js';
import { type JsonObject, listOf, objectOf, textsOf } from '../json-values.js';
import { FoundLabels } from '../label-names.js';

const SUBSET = 'default';

/** Reads Supervisely's format for point clouds. */
export const slyImport: ImportFormat = {
  info: { name: 'Sly Point Cloud Format 1.0', ext: 'ZIP', version: '1.0', enabled: true, dimension: '3d' },
  requires: [],
  recognize({ paths }) {
    const has = (file: RegExp): boolean => paths.some((path) => file.test(path));
    return has(/(?:^|\/)meta\.json$/) && has(/(?:^|\/)ann\/.+\.json$/) ? 3 : 0;
  },
  auxiliary: /(?:^|\/)(?:meta\.json|key_id_map\.json|related_images\/[^]*\.json)$/,
  imageAt(path) {
    const [, folder, name, file] =
      /^(?:[^/]+\/){1,4}?(pointcloud|related_images)\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (folder === undefined || name === undefined) return undefined;
    if (folder === 'pointcloud') return file === undefined ? { subset: SUBSET, name } : undefined;
    if (file === undefined) return undefined;
    return { subset: SUBSET, name: file, contextOf: name.replace(/_[a-z]+$/i, '') };
  },
  async labels(files) {
    const dataset = datasetIn(files);
    const found = new FoundLabels();
    for await (const { value, location } of readJsonLists(files.read(dataset.meta), dataset.meta, ['classes']))
      found.add(textOf(objectOf(value, location)['title'], 'title', location));
    for (const { path } of dataset.annotations) {
      for (const { label, attributes } of (await objectsIn(files, path)).values())
        for (const [name, value] of attributes) found.addAttribute(label, name, value);
    }
    return found.list();
  },
  async *read(files, target) {
    const dataset = datasetIn(files);
    const items = new ItemImport(target, { tracks: 'keyframes' });
    const isTracked = await namesKeyframes(files, dataset.meta);
    const videos = await videoNumbers(files, dataset.keyIdMap);
    const tracks = new Map<string, number>();
    for (const { path, name } of dataset.annotations) {
      if (isOtherSubset(SUBSET, path, target)) continue;
      const objects = await objectsIn(files, path);
      const found: FoundAnnotation[] = [];
      const lists = new Set<string>();
      const drawn = new Set<string>();
      for await (const { value, location } of readJsonLists(files.read(path), path, ['figures'], lists)) {
        const figure = objectOf(value, location);
        drawn.add(String(figure['objectKey']));
        const object = objects.get(String(figure['objectKey'])) ?? refuse(location, 'its objectKey names no object');
        found.push({
          type: 'cuboid',
          label: items.labels.named(object.label, location),
          points: pointsOf(figure, location),
          attributes: object.attributes,
          // Objects without a keyframe of their own are not interpolated.
          ...(isTracked && { track: numberOf(tracks, `${object.label}/${object.key}`), keyframe: true }),
          location,
        });
      }
      if (!lists.has('figures')) refuse(path, 'it has no list figures');
      for (const { key, label } of objects.values()) {
        if (!drawn.has(key)) target.notes?.skip('annotation', label, `${path}, ${key}`, 'the object has no figure');
      }
      if (found.length === 0) continue;
      const key = await readJsonValue(files.read(path), path, 'key');
      yield* items.add(items.frames.namedOrNumbered(name, path, videos.get(String(key))), found);
    }
    yield* items.finish();
  },
};

interface SlyDataset {
  readonly meta: string;
  readonly keyIdMap: string;
  /** Files of frames, with the name of the point cloud. */
  readonly annotations: readonly { readonly path: string; readonly name: string }[];
}

/** @throws FormatError if there is no `meta.json` */
function datasetIn(files: DatasetFiles): SlyDataset {
  const root = rootOf(files.paths, /^meta\.json$/);
  if (root === undefined) throw datasetNotFound('Dataset must contain a file: "meta.json"');
  const annotations = Array.from(matchesIn(files.paths, root, /^[^/]+\/ann\/(.+)\.json$/s), ({ path, groups }) => ({
    path,
    name: groups[0] ?? '',
  }));
  if (annotations.length === 0) throw new FormatError('The archive has no annotations: "ds0/ann/*.json".');
  return { meta: `${root}meta.json`, keyIdMap: `${root}key_id_map.json`, annotations };
}

/** Whether objects have keyframes. They are tracks then, also those of one frame. */
async function namesKeyframes(files: DatasetFiles, meta: string): Promise<boolean> {
  for await (const { value, location } of readJsonLists(files.read(meta), meta, ['tags']))
    if (objectOf(value, location)['name'] === 'keyframe') return true;
  return false;
}

/** Frame numbers by key. */
async function videoNumbers(files: DatasetFiles, path: string): Promise<Map<string, number>> {
  if (!files.paths.includes(path)) return new Map();
  const videos = objectOf((await readJsonValue(files.read(path), path, 'videos')) ?? {}, path);
  return new Map(Object.entries(videos).flatMap(([key, value]) => (typeof value === 'number' ? [[key, value]] : [])));
}

interface SlyObject {
  readonly key: string;
  readonly label: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
}

/** The objects of a frame by key. */
async function objectsIn(files: DatasetFiles, path: string): Promise<Map<string, SlyObject>> {
  const objects = new Map<string, SlyObject>();
  const names = new Map<string, string>();
  for await (const { value, location } of readJsonLists(files.read(path), path, ['objects'])) {
    const object = objectOf(value, location);
    const key = textOf(object['key'], 'key', location);
    const attributes = listOf(object['tags'] ?? [], 'tags', location).flatMap((tag) => {
      const { name, value: own } = objectOf(tag, location);
      return textsOf({ [textOf(name, 'the name of a tag', location)]: own });
    });
    const label = textOf(object['classTitle'], 'classTitle', location);
    nameOnce(names, [key, `the object key ${shown(key)}`], label, location);
    objects.set(key, { key, label, attributes });
  }
  return objects;
}

/** Numbers texts in the order in which they first appear. */
function numberOf(numbers: Map<string, number>, text: string): number {
  const number = numbers.get(text) ?? numbers.size;
  numbers.set(text, number);
  return number;
}

function pointsOf(figure: JsonObject, location: FileLocation): number[] {
  const type = figure['geometryType'];
  if (type !== 'cuboid_3d') refuse(location, `${shown(String(type))} is not the geometry of a cuboid`);
  const geometry = objectOf(figure['geometry'], location);
  const triple = (name: string): Triple => {
    const { x, y, z } = objectOf(geometry[name], location);
    const value = (axis: string, number: unknown): number =>
      typeof number === 'number' ? number : refuse(location, `${axis} of its ${name} is not a number`);
    return [value('x', x), value('y', y), value('z', z)];
  };
  return cuboidPoints({ position: triple('position'), rotation: triple('rotation'), scale: triple('dimensions') });
}

const textOf = (value: unknown, what: string, location: FileLocation): string =>
  typeof value === 'string' ? value : refuse(location, `${what} is not a text`);
