import { Keyframes } from '../../../shared/annotations/interpolate.js';
import type { Shape, ShapeElement, Track, TrackedShape, TrackElement } from '../../../shared/annotations/model.js';
import { completeShape, completeTrack } from '../complete.js';
import { orderCorners } from '../corners.js';
import { LabelIndex } from '../labels.js';
import { annotatedFrames, type FramePart, framesOf, lowerBound } from './annotated-frames.js';
import {
  cvatMeta,
  flag,
  geometryAttributes,
  groupAttribute,
  imageShape,
  imageTag,
  labelAttributes,
  SHAPE_ELEMENTS,
  valueElements,
} from './cvat-xml-write.js';
import { type Dataset, type DatasetFrame, type DatasetTask, imageName, subsetFolder, subsetName } from './dataset.js';
import type { AnnotationSource, ExportFormat } from './format.js';
import { LabelNames } from './label-names.js';
import { inPieces } from './text-pieces.js';
import { attribute, element, INDENT, xmlOf, type XmlText } from './xml.js';

/** The first lines of CVAT XML. */
const cvatHead = (dataset: Dataset): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n${xmlOf(cvatMeta(dataset), INDENT)}`;

const CVAT_TAIL = '</annotations>\n';

/** In archives of projects, images are in a folder named after their subset. */
function cvatImagePath(frame: DatasetFrame, task: DatasetTask, dataset: Dataset): string {
  const name = imageName(frame, task, 'PNG');
  return dataset.kind === 'project' ? `images/${subsetFolder(task)}/${name}` : `images/${name}`;
}

/** CVAT XML with one element per image. Tracks are written as the shapes they have on each frame. */
export const cvatImages: ExportFormat = {
  info: { name: 'CVAT for images 1.1', ext: 'ZIP', version: '1.1', enabled: true, dimension: '2d' },
  imagePath: cvatImagePath,
  write: (dataset, source, sink) => sink.addFile('annotations.xml', inPieces(imagesDocument(dataset, source))),
};

async function* imagesDocument(dataset: Dataset, source: AnnotationSource): AsyncGenerator<string> {
  yield cvatHead(dataset);
  const labels = new LabelNames(dataset.labels);
  for await (const part of annotatedFrames(dataset, source)) yield imageText(part, dataset, labels);
  yield CVAT_TAIL;
}

/** @returns the lines of a frame, or of a part of it */
function imageText(part: FramePart, dataset: Dataset, labels: LabelNames): string {
  const inside = [
    ...part.tags.map((tag) => imageTag(tag, labels)),
    ...part.shapes.map((shape) => imageShape(shape, labels)),
  ];
  const begin = part.first ? `${INDENT}<image${imageAttributes(part, dataset)}>\n` : '';
  const end = part.last ? `${INDENT}</image>\n` : '';
  return begin + xmlOf(inside, INDENT + INDENT) + end;
}

/** The id of an image is its number in the source within a task, and its index within a project. */
function imageAttributes({ task, frame, index }: FramePart, { kind }: Dataset): string {
  const isProject = kind === 'project';
  return (
    attribute('id', isProject ? index : frame.number) +
    attribute('name', frame.name) +
    (isProject ? attribute('subset', subsetName(task)) + attribute('task_id', task.id) : '') +
    attribute('width', frame.width) +
    attribute('height', frame.height)
  );
}

/**
 * CVAT XML with one element per track, which has a shape on every frame; interpolated shapes are marked. A single shape
 * becomes a track of one frame. The format has no tags.
 */
export const cvatVideo: ExportFormat = {
  info: { name: 'CVAT for video 1.1', ext: 'ZIP', version: '1.1', enabled: true, dimension: '2d' },
  imagePath: cvatImagePath,
  write: (dataset, source, sink) => sink.addFile('annotations.xml', inPieces(tracksDocument(dataset, source))),
};

async function* tracksDocument(dataset: Dataset, source: AnnotationSource): AsyncGenerator<string> {
  yield cvatHead(dataset);
  const labels = new LabelIndex(dataset.labels);
  let number = 0;
  for (const task of dataset.tasks) {
    const writer = new TrackWriter(dataset, task);
    for await (const tracks of source.tracks(task)) {
      for (const track of tracks) {
        completeTrack(track, labels);
        track.shapes.forEach(orderCorners);
        const text = writer.track(track, number);
        if (text === undefined) continue;
        number++;
        yield text;
      }
    }
    for await (const shapes of source.shapes(task)) {
      for (const shape of shapes) {
        completeShape(shape, labels);
        orderCorners(shape);
        const text = writer.shape(shape, number);
        if (text === undefined) continue;
        number++;
        yield text;
      }
    }
  }
  yield CVAT_TAIL;
}

/** The shape of a track or of a skeleton element on a frame; `parts` are the elements of a skeleton. */
interface Row {
  labelled: Pick<TrackElement, 'label_id' | 'source'>;
  shape: TrackedShape;
  keyframe: boolean;
  /** The track's attributes, because shapes in the file carry all attributes. */
  fixed: TrackElement['attributes'];
  parts: Row[];
}

class TrackWriter {
  private readonly labels: LabelNames;
  private readonly frames: readonly number[];
  /** Frame numbers in the source by frame numbers in the task. */
  private readonly numbers: ReadonlyMap<number, number>;

  constructor(
    private readonly dataset: Dataset,
    private readonly task: DatasetTask,
  ) {
    this.labels = new LabelNames(dataset.labels);
    this.frames = task.frames.map(({ frame }) => frame);
    this.numbers = new Map(task.frames.map(({ frame, number }) => [frame, number]));
  }

  /** @returns undefined if the track has no shape on the frames of the dataset */
  track(track: Track, number: number): string | undefined {
    const views = [track, ...track.elements].map((part) => new TrackView(part, this.frames));
    const [whole, ...parts] = views;
    const rows: Row[] = [];
    for (const frame of framesOf(track, this.frames)) {
      const row = whole?.row(frame);
      // A hidden object is written only on its keyframes.
      if (row === undefined || (row.shape.outside && !views.some((view) => view.hasKeyframe(frame)))) continue;
      row.parts = parts.flatMap((view) => view.row(frame) ?? []);
      rows.push(row);
    }
    return rows.length === 0 ? undefined : this.text(track, number, rows);
  }

  /** Writes a single shape as a track that ends on the next frame, if there is one. */
  shape(shape: Shape, number: number): string | undefined {
    if (!this.numbers.has(shape.frame)) return undefined;
    const row = rowOf(shape, shape.frame, false);
    row.parts = shape.elements.map((part) => rowOf(part, shape.frame, part.outside));
    const next = this.frames[lowerBound(this.frames, shape.frame + 1)];
    if (next === undefined) return this.text(shape, number, [row]);
    const end = rowOf(shape, next, true);
    end.parts = shape.elements.map((part) => rowOf(part, next, true));
    return this.text(shape, number, [row, end]);
  }

  private text(track: Pick<Track, 'label_id' | 'source' | 'group'>, id: number, rows: readonly Row[]): string {
    const attributes =
      attribute('id', id) +
      labelAttributes(track, this.labels) +
      groupAttribute(track.group) +
      (this.dataset.kind === 'project'
        ? attribute('task_id', this.task.id) + attribute('subset', subsetName(this.task))
        : '');
    const shapes = rows.map((row) =>
      this.rowElement(row, attribute('frame', this.numbers.get(row.shape.frame) ?? row.shape.frame)),
    );
    return element('track', attributes, shapes)(INDENT);
  }

  private rowElement({ shape, keyframe, fixed, parts }: Row, begin: string): XmlText {
    const attributes =
      begin +
      attribute('keyframe', flag(keyframe)) +
      attribute('outside', flag(shape.outside)) +
      attribute('occluded', flag(shape.occluded)) +
      geometryAttributes(shape) +
      attribute('z_order', shape.z_order);
    return element(SHAPE_ELEMENTS[shape.type], attributes, [
      ...parts.map((part) => this.rowElement(part, labelAttributes(part.labelled, this.labels))),
      ...valueElements([...fixed, ...shape.attributes], this.labels),
    ]);
  }
}

function rowOf(shape: ShapeElement, frame: number, outside: boolean): Row {
  return { labelled: shape, shape: { ...shape, frame, outside }, keyframe: true, fixed: [], parts: [] };
}

/** A track on the frames of a dataset. */
class TrackView {
  private readonly keyframes: Keyframes;
  private readonly marked: ReadonlySet<number>;

  constructor(
    private readonly track: TrackElement,
    frames: readonly number[],
  ) {
    this.keyframes = new Keyframes(track.shapes);
    this.marked = markedFrames(this.keyframes, frames);
  }

  hasKeyframe(frame: number): boolean {
    return this.marked.has(frame);
  }

  row(frame: number): Row | undefined {
    const { track } = this;
    const shape = this.keyframes.at(frame);
    if (shape === undefined) return undefined;
    return { labelled: track, shape, keyframe: this.hasKeyframe(frame), fixed: track.attributes, parts: [] };
  }
}

/**
 * The frames to write as keyframes. If a keyframe is on a frame that is left out, its neighbours become keyframes, so
 * that the track looks the same on the remaining frames.
 */
function markedFrames(keyframes: Keyframes, frames: readonly number[]): Set<number> {
  const marked = new Set<number>();
  let next = 0;
  for (const { frame } of keyframes.shapes) {
    while (next < frames.length && (frames[next] ?? Infinity) < frame) next++;
    const after = frames[next];
    if (after !== undefined) marked.add(after);
    const before = frames[next - 1];
    if (after !== frame && before !== undefined) marked.add(before);
  }
  return marked;
}
