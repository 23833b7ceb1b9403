import type { LabeledData, TrackElement } from '../../../shared/annotations/model.js';

/** Consecutive frames. */
export interface FrameRange {
  readonly first: number;
  readonly count: number;
}

/** The annotations of some frames, numbered from 0. */
export async function* onFrames(
  batches: AsyncIterable<LabeledData>,
  { first, count }: FrameRange,
): AsyncGenerator<LabeledData> {
  const isHere = ({ frame }: { readonly frame: number }): boolean => frame >= first && frame < first + count;
  for await (const batch of batches) {
    const [tags, shapes, tracks] = [
      batch.tags.filter(isHere),
      batch.shapes.filter(isHere),
      batch.tracks.filter(isHere),
    ];
    for (const tag of tags) tag.frame -= first;
    for (const shape of shapes) for (const each of [shape, ...shape.elements]) each.frame -= first;
    for (const track of tracks) for (const each of [track, ...track.elements]) renumber(each, first);
    yield { ...batch, tags, shapes, tracks };
  }
}

function renumber(track: TrackElement, first: number): void {
  track.frame -= first;
  for (const shape of track.shapes) shape.frame -= first;
}
