import { posix } from 'node:path';
import { boxOf, isRle, likeCoco, maskIn } from '../coco-import.js';
import { categoryOf, imageOf, isCaption, withId } from '../coco-references.js';
import type { DatasetFrame, DatasetLabel } from '../dataset.js';
import {
  type DatasetFiles,
  datasetNotFound,
  type FileLocation,
  type FoundLabel,
  type ImportFormat,
  refuse,
  shown,
} from '../format.js';
import { type ImportNotes, isOtherSubset, MISSING } from '../import-notes.js';
import type { FoundAnnotation, FoundElement } from '../items/found-annotation.js';
import { ItemImport } from '../items/item-import.js';
import { maskPointsOf } from '../../run-bitmap.js';
import { skeletonDrawing } from '../items/skeletons.js';
import { imagesByFiles } from '../items/subset-folders.js';
import { idKey, idOf, nameOnce } from '../items/unique-names.js';
import { hasKeypoints, isCoco } from '../json-datasets.js';
import { readJsonLists } from '../json-lists.js';
import { type JsonObject, listOf, numbersOf, objectOf, textsOf } from '../json-values.js';
import { FoundLabels } from '../label-names.js';
import { keypointsInfo, PREFIX } from './layout.js';

/** Reads skeletons. Boxes are ignored; the segmentation of an object becomes polygons or a mask in its group. */
export const cocoKeypointsImport: ImportFormat = {
  info: { ...keypointsInfo, ext: 'JSON, ZIP' },
  async recognize(sample) {
    const isLike = (await sample.some(/\.json$/i, isCoco)) && (await hasKeypoints(sample));
    return isLike ? 3 : 0;
  },
  imageAt(path) {
    const [, subset = 'default', name] = /^(?:[^/]+\/){0,3}?images\/(?:([^/]+)\/)?(.+)$/s.exec(path) ?? [];
    return name === undefined ? undefined : { subset, name };
  },
  imagesIn: imagesByFiles(PREFIX),
  labels,
  async *read(files, target) {
    const items = new ItemImport(target, { tracks: 'keyframes' });
    for (const { path, subset } of await annotationFiles(files)) {
      if (isOtherSubset(subset, path, target)) continue;
      const { categories, images } = await headOf(files, path);
      for await (const { value, location } of readJsonLists(files.read(path), path, ['annotations'])) {
        const annotation = objectOf(value, location);
        if (isCaption(annotation, location, target.notes)) continue;
        const frame = items.frames.named(imageOf(images, annotation, location), location);
        const category = categoryOf(categories, annotation, location);
        yield* items.add(frame, objectsOf(annotation, category, { frame, items, location, notes: target.notes }));
      }
    }
    yield* items.finish();
  },
};

/** Skeletons with their keypoints as elements. Drawings of skeletons are not in files, so they get simple ones. */
async function labels(files: DatasetFiles): Promise<FoundLabel[]> {
  const found = new FoundLabels();
  const skeletons = new Map<string, Category>();
  for (const { path } of await annotationFiles(files)) {
    const { categories } = await headOf(files, path);
    for (const category of categories.values()) {
      found.add(category.name);
      if (category.keypoints.length > 0) skeletons.set(category.name, category);
    }
    for await (const { value, location } of readJsonLists(files.read(path), path, ['annotations'])) {
      const { category_id: id, attributes } = objectOf(value, location);
      const name = withId(categories, id)?.name;
      if (name === undefined || attributes === undefined) continue;
      for (const [each, text] of textsOf(objectOf(attributes, location))) found.addAttribute(name, each, text);
    }
  }
  return found.list().map((label) => {
    const { keypoints, edges } = skeletons.get(label.name) ?? { keypoints: [], edges: [] };
    if (keypoints.length === 0) return label;
    const sublabels = keypoints.map((name) => ({ name, type: 'points' }));
    return { ...label, type: 'skeleton', sublabels, svg: skeletonDrawing(keypoints, edges) };
  });
}

/** Files of keypoints, or any JSON file if none has that name. */
async function annotationFiles(files: DatasetFiles): Promise<{ path: string; subset: string }[]> {
  const json = files.paths.filter((path) => /\.json$/i.test(path));
  const found = json.filter((path) => posix.basename(path).startsWith(PREFIX));
  if (json.length === 0) throw datasetNotFound([`annotations/${PREFIX}*.json`]);
  return (found.length === 0 ? await likeCoco(files, json) : found).map((path) => {
    const name = posix.basename(path).replace(/\.json$/i, '');
    return { path, subset: name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name };
  });
}

interface Category {
  readonly name: string;
  readonly keypoints: readonly string[];
  /** Pairs of keypoints that are joined, numbered from 1. */
  readonly edges: readonly (readonly [number, number])[];
}

interface Head {
  readonly categories: ReadonlyMap<unknown, Category>;
  /** File names by id. */
  readonly images: ReadonlyMap<unknown, string>;
}

/** Categories and images, which may follow the annotations. */
async function headOf(files: DatasetFiles, path: string): Promise<Head> {
  const [categories, images] = [new Map<unknown, Category>(), new Map<unknown, string>()];
  const names = new Map<unknown, string>();
  const lists = new Set<string>();
  for await (const element of readJsonLists(files.read(path), path, ['categories', 'images', 'annotations'], lists)) {
    const { list, location } = element;
    if (list === 'annotations' && categories.size > 0 && images.size > 0) break;
    if (list === 'annotations') continue;
    const value = objectOf(element.value, location);
    const id = value['id'];
    if (list === 'categories') {
      const category = readCategory(value, location);
      nameOnce(names, idOf('category', id), category.name, location);
      categories.set(idKey(id), category);
    } else nameOnce(images, idOf('image', id), textOf(value['file_name'], 'file_name', location), location);
  }
  if (!lists.has('annotations')) refuse(path, 'this is not COCO: it has no list annotations');
  return { categories, images };
}

function readCategory(value: JsonObject, location: FileLocation): Category {
  const name = textOf(value['name'], 'name', location);
  const { keypoints: list = [], skeleton = [] } = value;
  const keypoints = listOf(list, 'keypoints', location).map((each) => textOf(each, 'a keypoint', location));
  const known = new Set<string>();
  const twice = keypoints.find((each) => known.size === known.add(each).size);
  if (twice !== undefined) refuse(location, `the keypoint ${shown(twice)} is listed twice`);
  const edges = listOf(skeleton, 'skeleton', location).flatMap((edge) => {
    const [from, to] = numbersOf(edge, 'an edge of the skeleton', location);
    return from === undefined || to === undefined ? [] : [[from, to] as const];
  });
  return { name, keypoints, edges };
}

const textOf = (value: unknown, what: string, location: FileLocation): string =>
  typeof value === 'string' ? value : refuse(location, `${what} is not a text`);

interface Context {
  readonly frame: DatasetFrame;
  readonly items: ItemImport;
  readonly location: FileLocation;
  readonly notes?: ImportNotes | undefined;
}

/** The skeleton of an annotation, and the shapes of its segmentation. They form a group. Without them, its box. */
function objectsOf(annotation: JsonObject, category: Category, context: Context): FoundAnnotation[] {
  const { frame, items, location } = context;
  const { keypoints = [], segmentation, attributes = {} } = annotation;
  const points = numbersOf(keypoints, 'keypoints', location);
  const shapes = segmentsOf(segmentation, frame, location);
  const label = items.labels.named(category.name, location);
  if (label.id === MISSING || frame.frame === MISSING) return [];
  const values = textsOf(objectOf(attributes, location));
  if (points.length === 0 && shapes.length === 0) return boxOnly(annotation, label, values, context);
  const common = { label, group: 1, location };
  const skeletons: FoundAnnotation[] = [];
  if (points.length > 0) {
    const elements = elementsOf(points, category, label, { frame, items, location });
    skeletons.push({ ...common, type: 'skeleton', points: [], elements, attributes: values });
  }
  // Only the skeleton belongs to a track.
  const untracked = values.filter(([name]) => name !== 'track_id' && name !== 'keyframe');
  return [...skeletons, ...shapes.map((shape) => ({ ...common, ...shape, attributes: untracked }))];
}

/** The box of an annotation that has nothing else, if its label can have boxes. */
function boxOnly(
  annotation: JsonObject,
  label: DatasetLabel,
  attributes: FoundAnnotation['attributes'] & {},
  { location, notes }: Context,
): FoundAnnotation[] {
  if (annotation['bbox'] !== undefined && label.type !== 'skeleton')
    return [{ type: 'rectangle', points: boxOf(annotation, location), label, attributes, location }];
  notes?.skip('annotation', label.name, location, 'it has no keypoints. Use COCO 1.0 for boxes');
  return [];
}

function segmentsOf(
  segmentation: unknown,
  frame: DatasetFrame,
  location: FileLocation,
): Pick<FoundAnnotation, 'type' | 'points'>[] {
  if (isRle(segmentation)) {
    const bitmap = maskIn(segmentation, frame, location);
    return bitmap === undefined ? [] : [{ type: 'mask', points: maskPointsOf(bitmap) }];
  }
  if (!Array.isArray(segmentation)) return [];
  return segmentation
    .map((outline) => numbersOf(outline, 'segmentation', location))
    .filter((points) => points.length > 0)
    .map((points) => ({ type: 'polygon', points }));
}

function elementsOf(
  values: readonly number[],
  { name, keypoints }: Category,
  label: DatasetLabel,
  { items, location }: Context,
): FoundElement[] {
  if (label.type !== 'skeleton') refuse(location, `the label ${shown(label.name)} is not a skeleton`);
  if (values.length % 3 !== 0) {
    refuse(
      location,
      `Keypoints have invalid value count ${values.length}, which is not divisible by 3. ` +
        'Expected (x, y, visibility) triplets.',
    );
  }
  const count = values.length / 3;
  if (count > keypoints.length) {
    refuse(location, `the category ${shown(name)} has only ${keypoints.length} keypoints, not ${count}`);
  }
  return keypoints.slice(0, count).map((keypoint, at) => {
    const [x = 0, y = 0, visibility = 0] = values.slice(at * 3);
    return {
      label: items.labels.elementNamed(label, keypoint, location),
      points: [x, y],
      outside: visibility === 0,
      occluded: visibility === 1,
    };
  });
}
