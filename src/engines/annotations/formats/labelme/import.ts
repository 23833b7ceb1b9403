import { posix } from 'node:path';
import { decimal } from '../../decimal.js';
import type { DatasetFrame } from '../dataset.js';
import { type DatasetFiles, datasetNotFound, type FileLocation, type ImportFormat, refuse, shown } from '../format.js';
import { withoutExtension } from '../import-batch.js';
import { isOtherSubset } from '../import-notes.js';
import { hasFile } from '../items/dataset-root.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { ItemImport } from '../items/item-import.js';
import { boundsOf, twoDecimals } from '../items/items.js';
import { MaskImages } from '../items/mask-images.js';
import { FoundLabels, type LabelNames } from '../label-names.js';
import { childNamed, readXml, rootIn, textIn, type XmlElement } from '../xml.js';
import { attributesIn } from './attributes.js';

const FILES = ['**/*.xml'] as const;

export const labelMeImport: ImportFormat = {
  info: { name: 'LabelMe 3.0', ext: 'ZIP', version: '3.0', enabled: true, dimension: '2d' },
  requires: FILES,
  recognize: async (sample) => ((await sample.some(/\.xml$/i, isLabelMe)) ? 3 : 0),
  masks: /(?:^|\/)(?:Masks|Scribbles)\//,
  imageAt: (path) => (path.split('/').slice(0, -1).includes(MASKS) ? undefined : itemAt(path)),
  async labels(files) {
    const found = new FoundLabels();
    for (const path of xmlPaths(files)) {
      for (const object of (await readAnnotation(files, path)).objects) {
        const label = nameOf(object);
        found.add(label);
        for (const [name, value] of attributesOf(object)) found.addAttribute(label, name, value);
      }
    }
    return found.list();
  },
  async *read(files, target) {
    const items = new ItemImport(target);
    const masks = new MaskImages(files);
    for (const path of xmlPaths(files)) {
      if (isOtherSubset(itemAt(path).subset, path, target)) continue;
      const { image, objects } = await readAnnotation(files, path);
      if (objects.length === 0) continue;
      const frame = items.frames.named(image, path);
      const groups = groupsOf(objects);
      const found: FoundAnnotation[] = [];
      for (const [at, object] of objects.entries()) {
        const annotation = await annotationOf(object, { files, path, frame, labels: items.labels, masks });
        found.push({ ...annotation, group: groups[at] ?? 0 });
      }
      yield* items.add(frame, found);
    }
    yield* items.finish();
  },
};

/** Whether the beginning of a file is that of this format, which shares its root with PASCAL VOC. */
const isLabelMe = (text: string): boolean =>
  rootIn(text) === 'annotation' && /<(?:polygon|segm|imagesize|sourceImage|submittedBy)\b/.test(text);

const MASKS = 'Masks';

/** The first folder is the subset. */
function itemAt(path: string): { subset: string; name: string } {
  const at = path.indexOf('/');
  return at === -1 ? { subset: 'default', name: path } : { subset: path.slice(0, at), name: path.slice(at + 1) };
}

function xmlPaths({ paths }: DatasetFiles): string[] {
  const found = paths.filter((path) => /\.xml$/i.test(path));
  if (found.length === 0) throw datasetNotFound(FILES);
  return found;
}

/** The file of one image. */
interface LabelMeAnnotation {
  readonly image: string;
  /** Without deleted ones. */
  readonly objects: readonly XmlElement[];
}

async function readAnnotation(files: DatasetFiles, path: string): Promise<LabelMeAnnotation> {
  const elements: XmlElement[] = [];
  for await (const events of readXml(files.read(path), path, { wholeAt: 2, skip: 'imagesize' })) {
    for (const event of events) {
      if (event.kind === 'whole') elements.push(event.element);
      else if (event.kind === 'open' && event.element.name !== 'annotation') {
        refuse(event.element.location, 'this is not a file of LabelMe, because it does not begin with <annotation>');
      }
    }
  }
  const text = (wanted: string): string => elements.find(({ name }) => name === wanted)?.text ?? '';
  const objects = elements.filter((each) => each.name === 'object' && !/^(?:1|yes)$/.test(textIn(each, 'deleted')));
  return { image: imageOf(text('folder'), text('filename'), itemAt(path).name.replace(/\.xml$/i, '')), objects };
}

/** The name of an image. Files of LabelMe have spaces around names; a file that is called like its image has not. */
function imageOf(folder: string, file: string, own: string): string {
  const exact = posix.join(folder, file);
  if (exact === own || withoutExtension(exact) === own) return exact;
  return posix.join(folder.trim(), file.trim() || own);
}

const nameOf = (object: XmlElement): string =>
  textIn(object, 'name') || refuse(object.location, 'an object has no name');

const attributesOf = (object: XmlElement): [name: string, value: string][] => {
  const shape = childNamed(object, 'polygon') ?? childNamed(object, 'segm');
  const username = shape === undefined ? '' : textIn(shape, 'username');
  const attributes = attributesIn(textIn(object, 'attributes'));
  return username === '' ? attributes : [...attributes, ['username', username]];
};

interface Context {
  readonly files: DatasetFiles;
  readonly path: string;
  readonly frame: DatasetFrame;
  readonly labels: LabelNames;
  readonly masks: MaskImages;
}

async function annotationOf(object: XmlElement, context: Context): Promise<FoundAnnotation> {
  const { location } = object;
  const common = {
    label: context.labels.named(nameOf(object), location),
    occluded: textIn(object, 'occluded') === 'yes',
    attributes: attributesOf(object),
    location,
  };
  const segment = childNamed(object, 'segm');
  if (segment !== undefined) {
    const path = maskPath(childNamed(segment, 'mask')?.text ?? '', context, location);
    const bitmap = await context.masks.foreground(path, 'colors', context.frame);
    return { ...common, type: 'pixels', ...(bitmap !== undefined && { bitmap }) };
  }
  const polygon = childNamed(object, 'polygon') ?? refuse(location, 'an object has neither a polygon nor a mask');
  const points = polygon.children.filter(({ name }) => name === 'pt').flatMap(pointOf);
  if (textIn(object, 'type') !== 'bounding_box') return { ...common, type: 'polygon', points };
  if (points.length < 4) refuse(location, 'a box has less than two points');
  return { ...common, type: 'rectangle', points: boundsOf(points) };
}

const pointOf = (point: XmlElement): number[] =>
  ['x', 'y'].map((axis) => {
    const value = decimal(textIn(point, axis));
    return Number.isFinite(value)
      ? twoDecimals(value)
      : refuse(point.location, `${axis} ${shown(textIn(point, axis))} is not a number`);
  });

/** Masks are in a folder next to the file, or further up. */
function maskPath(name: string, { files, path }: Context, location: FileLocation): string {
  const parts = path.split('/').slice(0, -1);
  for (let depth = parts.length; depth >= 0; depth--) {
    const folder = [...parts.slice(0, depth), MASKS].join('/');
    const found = [name, name.trim()].map((each) => `${folder}/${each}`).find((each) => hasFile(files, each));
    if (found !== undefined) return found;
  }
  return refuse(location, `Can't find mask at ${shown(`${MASKS}/${name.trim()}`)}`);
}

/** Objects that are linked as parts, directly or through others, have the same number; 0 is none. */
function groupsOf(objects: readonly XmlElement[]): number[] {
  const ids = new Map<string, number>();
  for (const [at, object] of objects.entries()) {
    const id = textIn(object, 'id') || String(at);
    if (!ids.has(id)) ids.set(id, at);
  }
  const groups = objects.map((_, at) => at);
  const rootOf = (at: number): number => {
    let root = at;
    while (groups[root] !== root) {
      groups[root] = groups[groups[root] ?? 0] ?? 0;
      root = groups[root] ?? 0;
    }
    return root;
  };
  for (const [at, object] of objects.entries()) {
    const parts = childNamed(object, 'parts');
    const linked = parts === undefined ? '' : `${textIn(parts, 'hasparts')},${textIn(parts, 'ispartof')}`;
    for (const id of linked.split(',').map((each) => each.trim())) {
      const other = id === '' ? undefined : ids.get(id);
      if (other !== undefined) groups[rootOf(other)] = rootOf(at);
    }
  }
  return groups.map((_, at) => rootOf(at) + 1);
}
