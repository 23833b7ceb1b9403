import { posix } from 'node:path';
import { categoryOf, imageOf, withId } from '../coco-references.js';
import { type DatasetFiles, datasetNotFound, type FileLocation, type ImportFormat, refuse } from '../format.js';
import { isCoco, SEGMENTS } from '../json-datasets.js';
import { isOtherSubset } from '../import-notes.js';
import { hasFile } from '../items/dataset-root.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { ItemImport } from '../items/item-import.js';
import { imagesByFiles } from '../items/subset-folders.js';
import { idOf, nameOnce } from '../items/unique-names.js';
import { MaskImages } from '../items/mask-images.js';
import { readJsonLists } from '../json-lists.js';
import { type JsonObject, listOf, objectOf, textsOf } from '../json-values.js';
import { FoundLabels } from '../label-names.js';
import { colorValue, panopticInfo } from './layout.js';

const FILES = ['annotations/panoptic_*.json'] as const;

/** Reads COCO's panoptic segmentation. */
export const panopticImport: ImportFormat = {
  info: panopticInfo,
  requires: FILES,
  masks: /(?:^|\/)panoptic_[^/]+\//,
  async recognize(sample) {
    return (await sample.some(/\.json$/i, isCoco)) && (await sample.contain(/\.json$/i, SEGMENTS)) ? 3 : 0;
  },
  imageAt(path) {
    const [, subset, name] = /^(?:[^/]+\/){0,3}?images\/([^/]+)\/(.+)$/s.exec(path) ?? [];
    return subset === undefined || name === undefined ? undefined : { subset, name };
  },
  imagesIn: imagesByFiles('panoptic_'),
  async labels(files) {
    const found = new FoundLabels();
    for (const { path } of panopticFiles(files)) {
      const { categories } = await headOf(files, path);
      for (const name of categories.values()) found.add(name);
      for await (const { value, location } of readJsonLists(files.read(path), path, ['annotations'])) {
        for (const { info } of segmentsIn(objectOf(value, location), location)) {
          const name = withId(categories, info['category_id']);
          if (name === undefined) continue;
          for (const [attribute, text] of textsOf(objectOf(info['attributes'] ?? {}, location)))
            found.addAttribute(name, attribute, text);
        }
      }
    }
    return found.list();
  },
  async *read(files, target) {
    const items = new ItemImport(target);
    const images = new MaskImages(files);
    for (const { path, subset } of panopticFiles(files)) {
      if (isOtherSubset(subset, path, target)) continue;
      const head = await headOf(files, path);
      const lists = new Set<string>();
      for await (const { value, location } of readJsonLists(files.read(path), path, ['annotations'], lists)) {
        const annotation = objectOf(value, location);
        const segments = segmentsIn(annotation, location);
        if (segments.length === 0) continue;
        const frame = items.frames.named(imageOf(head.images, annotation, location), location);
        const png = pngOf(files, path, textOf(annotation['file_name'], 'file_name', location), location);
        const bitmaps = await images.bitmaps(png, 'colors', frame);
        const found = segments.flatMap(({ info, id, location: place }): FoundAnnotation[] => {
          const bitmap = bitmaps.get(colorValue(id));
          // Without a frame, there are no pixels.
          if (bitmap === undefined && bitmaps.size > 0) refuse(place, `segment ${id} has no pixels in ${png}`);
          const label = items.labels.named(categoryOf(head.categories, info, place), place);
          const attributes = textsOf(objectOf(info['attributes'] ?? {}, place));
          if (info['attributes'] === undefined && label.attributes.some((each) => each.name === 'is_crowd'))
            attributes.push(['is_crowd', String(info['iscrowd'] === 1)]);
          return bitmap === undefined ? [] : [{ type: 'pixels', bitmap, label, attributes, location: place }];
        });
        yield* items.add(frame, found);
      }
      if (!lists.has('annotations')) refuse(path, 'this is not COCO: it has no list annotations');
    }
    yield* items.finish();
  },
};

/** The lists of segments, in a folder `annotations` or any other. */
function panopticFiles({ paths }: DatasetFiles): { path: string; subset: string }[] {
  const found = paths.flatMap((path) => {
    const [, subset] = /^(?:[^/]+\/){0,4}panoptic_([^/]+)\.json$/i.exec(path) ?? [];
    return subset === undefined ? [] : [{ path, subset }];
  });
  if (found.length === 0) throw datasetNotFound(FILES);
  return found;
}

interface Head {
  /** Names by id. */
  readonly categories: ReadonlyMap<unknown, string>;
  readonly images: ReadonlyMap<unknown, string>;
}

async function headOf(files: DatasetFiles, path: string): Promise<Head> {
  const [categories, images] = [new Map<unknown, string>(), new Map<unknown, string>()];
  for await (const { list, value, location } of readJsonLists(files.read(path), path, ['categories', 'images'])) {
    const { id, name, file_name: file } = objectOf(value, location);
    if (list === 'categories') nameOnce(categories, idOf('category', id), textOf(name, 'name', location), location);
    else nameOnce(images, idOf('image', id), textOf(file, 'file_name', location), location);
  }
  return { categories, images };
}

interface FoundSegment {
  readonly info: JsonObject;
  readonly id: number;
  readonly location: FileLocation;
}

function segmentsIn(annotation: JsonObject, location: FileLocation): FoundSegment[] {
  const categories = new Map<number, string>();
  return listOf(annotation['segments_info'], 'segments_info', location).map((segment, at) => {
    const place = `${location}, segments_info[${at}]`;
    const info = objectOf(segment, place);
    const { id } = info;
    const isId = typeof id === 'number' && Number.isInteger(id) && id > 0 && id < 2 ** 24;
    if (!isId) refuse(place, 'id is not a whole number of 24 bits');
    nameOnce(categories, [id, `the segment id ${id}`], `category ${String(info['category_id'])}`, place);
    return { info, id, location: place };
  });
}

/** The image with the segments, in the folder named after the list, or next to the list. */
function pngOf(files: DatasetFiles, list: string, name: string, location: FileLocation): string {
  const folder = list.replace(/\.json$/i, '');
  const found = [posix.join(folder, name), posix.join(posix.dirname(list), name)].find((path) => hasFile(files, path));
  return found ?? refuse(location, `the archive has no ${posix.join(folder, name)}`);
}

const textOf = (value: unknown, what: string, location: FileLocation): string =>
  typeof value === 'string' ? value : refuse(location, `${what} is not a text`);
