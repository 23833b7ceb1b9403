import type { AttributeValue, Track, TrackedShape, TrackElement } from '../../../shared/annotations/model.js';
import { flagOf, geometryOf, numberOf, originOf, required, shapeTypeOf, valuesOf } from './cvat-xml-parse.js';
import type { DatasetLabel } from './dataset.js';
import { refuse, shown } from './format-error.js';
import { type FrameMatcher, noFrame } from './frame-matcher.js';
import type { ImportBatch } from './import-batch.js';
import type { LabelNames } from './label-names.js';
import type { XmlElement } from './xml-reader.js';

/** Reads one `track` of CVAT's XML, shape by shape. */
export class TrackReader {
  private readonly label: DatasetLabel;
  private readonly track: Track;
  private readonly parts = new Map<number, TrackElement>();

  constructor(
    private readonly element: XmlElement,
    private readonly labels: LabelNames,
    private readonly frames: FrameMatcher,
  ) {
    this.label = labels.named(required(element, 'label'), element.place);
    this.track = { ...emptyTrack(element, this.label), elements: [] };
  }

  /** Shapes between keyframes can be computed from these, and are passed over. */
  add(element: XmlElement): void {
    const type = shapeTypeOf(element);
    if (type === undefined) refuse(element.place, `a track cannot contain ${shown(`<${element.name}>`)}`);
    const number = numberOf(element, 'frame');
    const frame = this.frames.numbered(number)?.frame;
    if (frame === undefined) {
      // The track ends behind the frames: it needs no end.
      if (flagOf(element, 'outside') || !flagOf(element, 'keyframe', true)) return;
      noFrame(String(number));
    }
    if (type === 'skeleton') for (const child of element.children) this.addPart(child, element, frame);
    if (flagOf(element, 'keyframe', true)) keep(this.track, element, this.label, frame);
  }

  /** Hands the track over; one without keyframes is refused, masks become single shapes. */
  finish(batch: ImportBatch): void {
    const { track } = this;
    for (const part of this.parts.values()) if (part.shapes.length > 0) track.elements.push(part);
    const [first] = track.shapes;
    if (first === undefined) refuse(this.element.place, 'a track without keyframes on frames of the task');
    for (const part of [track, ...track.elements]) {
      part.shapes.sort((a, b) => a.frame - b.frame);
      part.frame = part.shapes[0]?.frame ?? 0;
    }
    if (first.type === 'mask') this.addMasks(batch);
    else batch.addTrack(track, this.element.place);
  }

  private addPart(child: XmlElement, skeleton: XmlElement, frame: number): void {
    if (shapeTypeOf(child) === undefined || !flagOf(child, 'keyframe', flagOf(skeleton, 'keyframe', true))) return;
    const label = this.labels.elementNamed(this.label, required(child, 'label'), child.place);
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
      batch.addShape({ ...labelled, ...shape, id: null, attributes, elements: [], score: 1 }, this.element.place);
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

/** What does not change is an attribute of the track, as the first keyframe has it; the rest stays with the keyframe. */
function keep(track: TrackElement, element: XmlElement, label: DatasetLabel, frame: number): void {
  const type = shapeTypeOf(element) ?? refuse(element.place, `a track cannot contain ${shown(`<${element.name}>`)}`);
  const [fixed, changing] = byScope(valuesOf(element, label), label);
  if (track.shapes.length === 0) track.attributes = fixed;
  const shape: TrackedShape = Object.assign(geometryOf(element, type, frame), { id: null, attributes: changing });
  track.shapes.push(shape);
}

function byScope(values: readonly AttributeValue[], label: DatasetLabel): [AttributeValue[], AttributeValue[]] {
  const mutable = new Set(label.attributes.filter((spec) => spec.mutable).map((spec) => spec.id));
  return [values.filter((value) => !mutable.has(value.spec_id)), values.filter((value) => mutable.has(value.spec_id))];
}
