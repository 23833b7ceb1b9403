import { posix } from 'node:path';
import type {
  AttributeValue,
  LabeledData,
  Tag,
  Track,
  TrackedShape,
  TrackElement,
} from '../../../shared/annotations/model.js';
import { decimal } from '../decimal.js';
import {
  cvatLabels,
  flagOf,
  geometryOf,
  numberOf,
  originOf,
  required,
  shapeOf,
  shapeTypeOf,
  valuesOf,
} from './cvat-xml-parse.js';
import type { DatasetLabel } from './dataset.js';
import {
  datasetNotFound,
  refuse,
  shown,
  type DatasetFiles,
  type DatasetImage,
  type ImportFormat,
  type ImportTarget,
} from './format.js';
import { FrameMatcher, ImportBatch } from './import-batch.js';
import { imageOfSubset } from './items/subset-folders.js';
import { isOtherSubset } from './import-notes.js';
import { LabelNames } from './label-names.js';
import { readXml, rootIn, type XmlElement, type XmlEvent } from './xml.js';

/** Reads CVAT XML for images and for videos; one file may contain both. */
export const cvatImport: ImportFormat = {
  info: { name: 'CVAT 1.1', ext: 'XML, ZIP', version: '1.1', enabled: true, dimension: '2d' },
  requires: ['*.xml'],
  recognize: async (sample) => ((await sample.some(/\.xml$/i, (text) => rootIn(text) === 'annotations')) ? 3 : 0),
  imageAt,
  imagesIn,
  async labels(files) {
    const [path = ''] = xmlPaths(files);
    return cvatLabels(files, path);
  },
  async *read(files, target) {
    for (const path of xmlPaths(files)) yield* readFile(files, path, target);
  },
};

function xmlPaths({ paths }: DatasetFiles): string[] {
  const found = paths.filter((path) => path.toLowerCase().endsWith('.xml'));
  if (found.length === 0) throw datasetNotFound('The archive holds no XML file with annotations.');
  return found;
}

function imageAt(path: string): DatasetImage | undefined {
  const [, name] = /^(?:[^/]+\/){0,3}?images\/(.+)$/s.exec(path) ?? [];
  return name === undefined ? undefined : { name, subset: NO_SUBSET };
}

/** A folder below `images` is a subset if images or tracks belong to it, otherwise a part of the names of images. */
async function imagesIn(files: DatasetFiles): Promise<(path: string) => DatasetImage | undefined> {
  const byName = new Map<string, Set<string>>();
  const subsets = new Set<string>();
  for (const path of xmlPaths(files)) {
    for await (const { name, subset } of subsetsNamedIn(files, path)) {
      subsets.add(subset);
      if (name !== undefined) byName.set(name, (byName.get(name) ?? new Set()).add(subset));
    }
  }
  return (path) => {
    const image = imageAt(path);
    if (image === undefined) return undefined;
    const inFolder = imageOfSubset(image.name, subsets);
    if (byName.get(inFolder.name)?.has(inFolder.subset) === true) return inFolder;
    const [subset] = byName.get(image.name) ?? [];
    return subset === undefined ? inFolder : { ...image, subset };
  };
}

/** The subsets of images, with their names, and of tracks. */
async function* subsetsNamedIn(
  files: DatasetFiles,
  path: string,
): AsyncGenerator<{ readonly name: string | undefined; readonly subset: string }> {
  for await (const events of readXml(files.read(path), posix.basename(path), { wholeAt: 3, skip: 'meta' })) {
    for (const event of events) {
      if (event.kind !== 'open' || event.element.name === 'annotations') continue;
      yield { name: event.element.attributes['name'], subset: subsetOf(event.element) };
    }
  }
}

const NO_SUBSET = 'default';

const subsetOf = ({ attributes }: XmlElement): string => attributes['subset'] ?? NO_SUBSET;

async function* readFile(files: DatasetFiles, path: string, target: ImportTarget): AsyncGenerator<LabeledData> {
  const document = new CvatDocument(path, target);
  // The elements of images and tracks are at the third level.
  const events = readXml(files.read(path), posix.basename(path), { wholeAt: 3, skip: 'meta' });
  for await (const piece of events) {
    for (const event of piece) {
      document.take(event);
      if (document.batch.isFull) yield document.batch.take();
    }
  }
  if (!document.batch.isEmpty) yield document.batch.take();
}

/** What the root contains besides images and tracks. */
const OTHER_ELEMENTS = new Set(['version', 'meta', 'dumped']);

/** The position of the reader in a document. */
interface Open {
  kind: 'root' | 'image' | 'track' | 'passed over';
  name: string;
}

class CvatDocument {
  readonly batch = new ImportBatch();
  private readonly labels: LabelNames;
  private readonly frames: FrameMatcher;
  private readonly open: Open[] = [];
  private frame = 0;
  private track: TrackReader | undefined;

  constructor(
    private readonly path: string,
    private readonly target: ImportTarget,
  ) {
    this.labels = new LabelNames(target.labels, target.notes);
    this.frames = new FrameMatcher(target);
  }

  take(event: XmlEvent): void {
    if (event.kind === 'open') this.enter(event.element);
    else if (event.kind === 'close') this.leave();
    else if (this.open.at(-1)?.kind === 'image') this.onImage(event.element);
    else if (this.open.at(-1)?.kind === 'track') this.track?.add(event.element);
  }

  private enter(element: XmlElement): void {
    const { name } = element;
    if (this.open.length === 0 && name !== 'annotations') {
      refuse(
        posix.basename(this.path),
        `this is not CVAT's XML: its root is <${name.slice(0, 40)}>, not <annotations>`,
      );
    }
    this.open.push({ kind: this.kindOf(element), name });
  }

  private kindOf(element: XmlElement): Open['kind'] {
    if (this.open.length === 0) return 'root';
    if (element.name !== 'image' && element.name !== 'track') {
      if (this.open.length === 1 && !OTHER_ELEMENTS.has(element.name))
        this.target.notes?.skip('annotation', `<${element.name}>`, element.location, 'CVAT 1.1 has no such element');
      return 'passed over';
    }
    if (isOtherSubset(subsetOf(element), this.path, this.target)) return 'passed over';
    if (element.name === 'image') {
      this.frame = this.frames.named(required(element, 'name'), element.location, imageNumber(element)).frame;
      return 'image';
    }
    this.track = new TrackReader(element, this.labels, this.frames);
    return 'track';
  }

  private leave(): void {
    if (this.open.pop()?.kind !== 'track') return;
    this.track?.finish(this.batch);
    this.track = undefined;
  }

  private onImage(element: XmlElement): void {
    const type = shapeTypeOf(element);
    if (type !== undefined) this.batch.addShape(shapeOf(element, type, this.frame, this.labels), element.location);
    else if (element.name === 'tag') this.batch.addTag(this.tagOf(element), element.location);
    else refuse(element.location, `an image cannot contain ${shown(`<${element.name}>`)}`);
  }

  private tagOf(element: XmlElement): Tag {
    const label = this.labels.named(required(element, 'label'), element.location);
    return {
      id: null,
      label_id: label.id,
      frame: this.frame,
      ...originOf(element),
      attributes: valuesOf(element, label),
    };
  }
}

/** Only frames of videos are found by number, so an invalid one is no error. */
const imageNumber = (element: XmlElement): number | undefined => {
  const text = element.attributes['id'];
  return text === undefined ? undefined : decimal(text);
};

/** Reads one `track` element shape by shape. */
class TrackReader {
  private readonly label: DatasetLabel;
  private readonly track: Track;
  private readonly parts = new Map<number, TrackElement>();

  constructor(
    private readonly element: XmlElement,
    private readonly labels: LabelNames,
    private readonly frames: FrameMatcher,
  ) {
    this.label = labels.named(required(element, 'label'), element.location);
    this.track = { ...emptyTrack(element, this.label), elements: [] };
  }

  /** Skips interpolated shapes, because they are computed from the keyframes. */
  add(element: XmlElement): void {
    const type = shapeTypeOf(element);
    if (type === undefined) refuse(element.location, `a track cannot contain ${shown(`<${element.name}>`)}`);
    const number = numberOf(element, 'frame');
    const frame = this.frames.numbered(number)?.frame;
    if (frame === undefined) {
      // The track ends after the last frame, so it needs no closing keyframe.
      if (flagOf(element, 'outside') || !flagOf(element, 'keyframe', true)) return;
      this.frames.unmatched(String(number), element.location);
      return;
    }
    if (type === 'skeleton') for (const child of element.children) this.addPart(child, element, frame);
    if (flagOf(element, 'keyframe', true)) keep(this.track, element, this.label, frame);
  }

  /** Adds the track to the batch. A track without keyframes is rejected; masks become single shapes. */
  finish(batch: ImportBatch): void {
    const { track } = this;
    for (const part of this.parts.values()) if (part.shapes.length > 0) track.elements.push(part);
    const [first] = track.shapes;
    if (first === undefined && this.frames.isLenient) return;
    if (first === undefined) refuse(this.element.location, 'a track without keyframes on frames of the task');
    for (const part of [track, ...track.elements]) {
      part.shapes.sort((a, b) => a.frame - b.frame);
      part.frame = part.shapes[0]?.frame ?? 0;
    }
    if (first.type === 'mask') this.addMasks(batch);
    else batch.addTrack(track, this.element.location);
  }

  private addPart(child: XmlElement, skeleton: XmlElement, frame: number): void {
    if (child.name === 'attribute') return;
    if (shapeTypeOf(child) === undefined) refuse(child.location, `a skeleton cannot contain ${shown(`<${child.name}>`)}`); // prettier-ignore
    if (!flagOf(child, 'keyframe', flagOf(skeleton, 'keyframe', true))) return;
    const label = this.labels.elementNamed(this.label, required(child, 'label'), child.location);
    let part = this.parts.get(label.id);
    if (part === undefined) this.parts.set(label.id, (part = emptyTrack(this.element, label)));
    keep(part, child, label, frame);
  }

  /** Masks cannot be tracked. */
  private addMasks(batch: ImportBatch): void {
    const { shapes, frame: _frame, ...labelled } = this.track;
    for (const shape of shapes) {
      if (shape.outside) continue;
      const attributes = [...labelled.attributes, ...shape.attributes];
      batch.addShape({ ...labelled, ...shape, id: null, attributes, elements: [], score: 1 }, this.element.location);
    }
  }
}

const emptyTrack = (element: XmlElement, label: DatasetLabel): TrackElement => ({
  id: null,
  label_id: label.id,
  frame: 0,
  ...originOf(element),
  shapes: [],
  attributes: [],
});

/** Immutable attributes go to the track, with the values of the first keyframe; mutable ones stay with the keyframe. */
function keep(track: TrackElement, element: XmlElement, label: DatasetLabel, frame: number): void {
  const type = shapeTypeOf(element) ?? refuse(element.location, `a track cannot contain ${shown(`<${element.name}>`)}`);
  const [fixed, changing] = byScope(valuesOf(element, label), label);
  if (track.shapes.length === 0) track.attributes = fixed;
  const shape: TrackedShape = Object.assign(geometryOf(element, type, frame), { id: null, attributes: changing });
  track.shapes.push(shape);
}

function byScope(values: readonly AttributeValue[], label: DatasetLabel): [AttributeValue[], AttributeValue[]] {
  const mutable = new Set(label.attributes.filter((spec) => spec.mutable).map((spec) => spec.id));
  return [values.filter((value) => !mutable.has(value.spec_id)), values.filter((value) => mutable.has(value.spec_id))];
}
