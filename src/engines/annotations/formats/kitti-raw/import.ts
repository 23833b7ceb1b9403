import { posix } from 'node:path';
import { decimal } from '../../decimal.js';
import { type DatasetFiles, datasetNotFound, type ImportFormat, refuse, shown } from '../format.js';
import { cuboidPoints, type Triple } from '../items/clouds.js';
import { hasFile } from '../items/dataset-root.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { type ImportNotes, isOtherSubset } from '../import-notes.js';
import { ItemImport } from '../items/item-import.js';
import { attributeOf, BUILT_IN, FoundLabels } from '../label-names.js';
import { readLines } from '../text-pieces.js';
import { childNamed, readXml, rootIn, textIn, type XmlElement } from '../xml.js';

const SUBSET = 'default';

const FILES = ['*.xml'] as const;

/** Reads the annotations of KITTI raw recordings. Every pose becomes a cuboid, because the format has no keyframes. */
export const kittiRawImport: ImportFormat = {
  info: { name: 'Kitti Raw Format 1.0', ext: 'ZIP, XML', version: '1.0', enabled: true, dimension: '3d' },
  requires: FILES,
  async recognize(sample) {
    const roots = ['boost_serialization', 'tracklets'];
    return (await sample.some(/\.xml$/i, (text) => roots.includes(rootIn(text) ?? ''))) ? 3 : 0;
  },
  auxiliary: /(?:^|\/)(?:frame_list\.txt|calib[^/]*\.txt|timestamps[^/]*\.txt|dataformat\.txt|oxts\/[^]*)$/,
  imageAt(path) {
    const [, folder, name] = /^(?:[^/]+\/){0,3}?(velodyne_points|image_\d\d)\/data\/([^/]+)$/.exec(path) ?? [];
    if (folder === undefined || name === undefined) return undefined;
    if (folder === 'velodyne_points') return { subset: SUBSET, name };
    const { name: frame, ext } = posix.parse(name);
    return { subset: SUBSET, name: `${folder}${ext}`, contextOf: frame };
  },
  async labels(files) {
    const found = new FoundLabels();
    for (const path of trackletFiles(files)) {
      for await (const { label, attributes, poses } of trackletsIn(files, path)) {
        found.add(label);
        for (const [name, value] of [...attributes, ...poses.flatMap((pose) => pose.attributes)])
          found.addAttribute(label, name, value);
      }
    }
    return found.list();
  },
  async *read(files, target) {
    const items = new ItemImport(target);
    for (const path of trackletFiles(files)) {
      if (isOtherSubset(SUBSET, path, target)) continue;
      const names = await frameNames(files, path);
      for await (const tracklet of trackletsIn(files, path, target.notes)) {
        let fixed: Attributes | undefined;
        for (const pose of tracklet.poses) {
          const name = names.get(pose.frame) ?? String(pose.frame).padStart(10, '0');
          const frame = items.frames.namedOrNumbered(name, pose.location, pose.frame);
          const label = items.labels.named(tracklet.label, pose.location);
          yield* items.add(frame, [
            {
              type: 'cuboid',
              label,
              points: cuboidPoints({ position: pose.position, rotation: pose.rotation, scale: tracklet.scale }),
              occluded: pose.isOccluded,
              attributes: [...(fixed ?? tracklet.attributes), ...pose.attributes],
              location: pose.location,
            } satisfies FoundAnnotation,
          ]);
          // The first pose notes what the label does not have. A tracklet can have many attributes, and many poses.
          fixed ??= [
            ...new Map(tracklet.attributes.filter(([each]) => BUILT_IN.has(each) || attributeOf(label, each))),
          ];
        }
      }
    }
    yield* items.finish();
  },
};

/** XML files anywhere in the archive. */
function trackletFiles({ paths }: DatasetFiles): string[] {
  const found = paths.filter((path) => /^(?:[^/]+\/){0,3}[^/]+\.xml$/i.test(path));
  if (found.length === 0) throw datasetNotFound(FILES);
  return found;
}

/** The names in `frame_list.txt`, which is in the folder of the tracklets, by frame number. */
async function frameNames(files: DatasetFiles, tracklets: string): Promise<Map<number, string>> {
  const path = posix.join(posix.dirname(tracklets), 'frame_list.txt');
  const names = new Map<number, string>();
  if (!hasFile(files, path)) return names;
  for await (const { text, line, location } of readLines(files.read(path), path)) {
    const [, number, name] = /^\s*(\d+)\s(.+)$/s.exec(line) ?? [];
    if (number === undefined || name === undefined)
      refuse(location, `${shown(text)} is not a frame number with a name`);
    names.set(Number(number), name);
  }
  return names;
}

type Attributes = readonly (readonly [name: string, value: string])[];

interface Tracklet {
  readonly label: string;
  readonly scale: Triple;
  readonly attributes: Attributes;
  readonly poses: readonly Pose[];
}

interface Pose {
  /** Number of the frame. */
  readonly frame: number;
  readonly position: Triple;
  readonly rotation: Triple;
  readonly isOccluded: boolean;
  readonly attributes: Attributes;
  readonly location: string;
}

/** Descendants of a tracklet: those of 10,000 poses. */
const MAX_ELEMENTS = 200_000;

async function* trackletsIn(files: DatasetFiles, path: string, notes?: ImportNotes): AsyncGenerator<Tracklet> {
  const options = { wholeAt: 3, skip: 'finished', doctype: 'boost_serialization', mostElements: MAX_ELEMENTS };
  const expected = ['boost_serialization', 'tracklets'];
  for await (const events of readXml(files.read(path), path, options)) {
    for (const event of events) {
      if (event.kind === 'open' && event.element.name !== expected.shift())
        refuse(event.element.location, 'these are not tracklets of the KITTI raw format');
      if (event.kind === 'whole' && event.element.name === 'item') yield trackletOf(event.element, notes);
    }
  }
  if (expected.length > 0) refuse(path, 'these are not tracklets of the KITTI raw format');
}

function trackletOf(item: XmlElement, notes: ImportNotes | undefined): Tracklet {
  const label = textIn(item, 'objectType');
  if (label === '') refuse(item.location, 'a tracklet has no objectType');
  const first = numberIn(item, 'first_frame');
  if (!Number.isSafeInteger(first) || first < 0) refuse(item.location, `first_frame ${first} is not a frame number`);
  const poses: Pose[] = [];
  let wasOccluded = false;
  for (const [at, pose] of childrenIn(item, 'poses').entries()) {
    const occlusion = textIn(pose, 'occlusion');
    const isOccluded: boolean = occlusion === UNCHANGED ? wasOccluded : OCCLUDED.has(occlusion);
    if (occlusion !== UNCHANGED && textIn(pose, 'occlusion_kf') === '1') wasOccluded = isOccluded;
    if (OUT_OF_IMAGE.has(textIn(pose, 'truncation'))) {
      notes?.skip('annotation', label, pose.location, 'the pose is out of the image');
      continue;
    }
    poses.push({
      frame: first + at,
      position: triple(pose, ['tx', 'ty', 'tz']),
      rotation: triple(pose, ['rx', 'ry', 'rz']),
      isOccluded,
      attributes: attributesOf(pose),
      location: pose.location,
    });
  }
  return { label, scale: triple(item, ['w', 'h', 'l']), attributes: attributesOf(item), poses };
}

/** The occlusion of a pose that has the one of the last keyframe. */
const UNCHANGED = '-1';
/** Partly or fully occluded. */
const OCCLUDED = new Set(['1', '2']);
/** Truncations of poses that are outside or behind the image, where nothing was annotated. */
const OUT_OF_IMAGE = new Set(['2', '99']);

const childrenIn = (parent: XmlElement, list: string): XmlElement[] =>
  (childNamed(parent, list)?.children ?? []).filter(({ name }) => name === 'item');

function triple(parent: XmlElement, [x, y, z]: readonly [string, string, string]): Triple {
  return [numberIn(parent, x), numberIn(parent, y), numberIn(parent, z)];
}

function numberIn(parent: XmlElement, name: string): number {
  const text = textIn(parent, name);
  const value = text === '' ? NaN : decimal(text);
  return Number.isFinite(value) ? value : refuse(parent.location, `${name} ${shown(text)} is not a number`);
}

/** @throws FormatError if an attribute has no name */
const attributesOf = (parent: XmlElement): Attributes =>
  (childNamed(parent, 'attributes')?.children ?? [])
    .filter(({ name }) => name === 'attribute')
    .map((attribute) => [
      textIn(attribute, 'name') || refuse(attribute.location, 'an attribute has no name'),
      childNamed(attribute, 'value')?.text ?? '',
    ]);
