import { posix } from 'node:path';
import { decimal } from '../decimal.js';
import type { LabeledData, Tag } from '../../../shared/annotations/model.js';
import { originOf, required, shapeOf, shapeTypeOf, valuesOf } from './cvat-xml-parse.js';
import { cvatLabels } from './cvat-xml-labels.js';
import { TrackReader } from './cvat-xml-tracks.js';
import { datasetNotFound, refuse, shown } from './format-error.js';
import type { DatasetFiles, DatasetImage, ImportFormat, ImportTarget } from './format.js';
import { FrameMatcher } from './frame-matcher.js';
import { ImportBatch } from './import-batch.js';
import { LabelNames } from './label-names.js';
import { readXml, type XmlElement, type XmlEvent } from './xml-reader.js';

/** Reads CVAT's XML, that of images and that of videos; both may stand in one file. */
export const cvatImport: ImportFormat = {
  info: { name: 'CVAT 1.1', ext: 'XML, ZIP', version: '1.1', enabled: true, dimension: '2d' },
  imageAt,
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

/** A folder below `images` may be one of an image's name, or that of a subset: names are matched either way. */
function imageAt(path: string): DatasetImage | undefined {
  const [, name] = /^images\/(.+)$/.exec(path) ?? [];
  if (name === undefined) return undefined;
  const [subset, ...rest] = name.split('/');
  return rest.length === 0 || subset === undefined ? { name, subset: 'default' } : { name: rest.join('/'), subset };
}

/** Said, or that of an image's place; the images of tracks are numbered, so theirs must be said. */
function subsetOf({ attributes }: XmlElement): string {
  const { subset, name } = attributes;
  return subset ?? imageAt(`images/${name ?? ''}`)?.subset ?? 'default';
}

async function* readFile(files: DatasetFiles, path: string, target: ImportTarget): AsyncGenerator<LabeledData> {
  const document = new CvatDocument(posix.basename(path), target);
  // The elements of images and tracks are the third level.
  const events = readXml(files.read(path), posix.basename(path), { wholeAt: 3, skip: 'meta' });
  for await (const piece of events) {
    for (const event of piece) {
      document.take(event);
      if (document.batch.isFull) yield document.batch.take();
    }
  }
  if (!document.batch.isEmpty) yield document.batch.take();
}

/** Where in a document the reader is. */
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
    private readonly file: string,
    private readonly target: ImportTarget,
  ) {
    this.labels = new LabelNames(target.labels);
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
      refuse(this.file, `this is not CVAT's XML: its root is <${name.slice(0, 40)}>, not <annotations>`);
    }
    this.open.push({ kind: this.kindOf(element), name });
  }

  private kindOf(element: XmlElement): Open['kind'] {
    if (this.open.length === 0) return 'root';
    if (this.target.subset !== undefined && subsetOf(element) !== this.target.subset) return 'passed over';
    if (element.name === 'image') {
      this.frame = this.frames.named(required(element, 'name'), imageNumber(element)).frame;
      return 'image';
    }
    if (element.name !== 'track') return 'passed over';
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
    if (type !== undefined) this.batch.addShape(shapeOf(element, type, this.frame, this.labels), element.place);
    else if (element.name === 'tag') this.batch.addTag(this.tagOf(element), element.place);
    else refuse(element.place, `an image cannot contain ${shown(`<${element.name}>`)}`);
  }

  private tagOf(element: XmlElement): Tag {
    const label = this.labels.named(required(element, 'label'), element.place);
    return {
      id: null,
      label_id: label.id,
      frame: this.frame,
      ...originOf(element),
      attributes: valuesOf(element, label),
    };
  }
}

/** Only frames of videos are found by it, so a wrong one is no fault. */
const imageNumber = (element: XmlElement): number | undefined => {
  const text = element.attributes['id'];
  return text === undefined ? undefined : decimal(text);
};
