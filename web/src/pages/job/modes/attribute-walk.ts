import type { Attribute, Label } from '../../../app/api';
import type { FrameSet } from '../frames/frame-set';
import type { SceneObject } from '../scene/scene';

export interface Found {
  readonly frame: number;
  readonly key: string;
}

/** What the walk needs to know about the annotations of a job. */
export interface WalkedJob {
  readonly frames: Pick<FrameSet, 'numbers' | 'position' | 'isDeleted'>;
  readonly labels: readonly Pick<Label, 'id' | 'attributes'>[];
  /** Keys of objects that are skipped. */
  readonly hidden: ReadonlySet<string>;
  at(frame: number): readonly SceneObject[];
}

/** The attributes of an object, in the order of its label. */
export const attributesOf = (labels: WalkedJob['labels'], labelId: number): readonly Attribute[] =>
  labels.find(({ id }) => id === labelId)?.attributes ?? [];

/** The visible objects of a frame that have attributes. */
export function withAttributes({ frames, labels, hidden, at }: WalkedJob, frame: number): readonly SceneObject[] {
  if (frames.isDeleted(frame)) return [];
  return at(frame).filter(
    ({ key, labelId, outside }) => !outside && !hidden.has(key) && attributesOf(labels, labelId).length > 0,
  );
}

/**
 * The next or previous object with attributes, on the frame or on the nearest one that has such objects.
 * @param from the frame, and the current object; null: the walk begins
 * @returns undefined after the last object
 */
export function walk(
  job: WalkedJob,
  { frame, key }: { readonly frame: number; readonly key: string | null },
  by: 1 | -1,
): Found | undefined {
  const here = withAttributes(job, frame);
  const at = here.findIndex((object) => object.key === key);
  const next = at === -1 ? here.at(by === 1 ? 0 : -1) : here[at + by];
  if (next !== undefined) return { frame, key: next.key };
  const { numbers } = job.frames;
  for (let position = job.frames.position(frame) + by; position >= 0 && position < numbers.length; position += by) {
    const number = numbers[position] ?? frame;
    const found = withAttributes(job, number).at(by === 1 ? 0 : -1);
    if (found !== undefined) return { frame: number, key: found.key };
  }
  return undefined;
}
