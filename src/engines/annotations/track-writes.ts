import type { LabeledData, Track, TrackElement, TrackedShape } from '../../shared/annotations/model.js';

/**
 * Brings tracks into the form they are stored in, in place, before ids are given: every track begins with a keyframe
 * at its own frame and no earlier than its elements do. A track without keyframes has nothing to show and is dropped.
 */
export function settleTracks(data: LabeledData): void {
  data.tracks = data.tracks.filter((track) => track.shapes.length > 0);
  for (const track of data.tracks) settleTrack(track);
}

function settleTrack(track: Track): void {
  track.elements = track.elements.filter((element) => element.shapes.length > 0);
  for (const element of track.elements) settleStart(element);
  settleStart(track);
  const earliest = track.elements.reduce((frame, element) => Math.min(frame, element.frame), track.frame);
  if (earliest < track.frame) moveStart(track, earliest);
}

function settleStart(track: TrackElement): void {
  const first = firstShape(track.shapes);
  if (first === undefined) return;
  if (first.frame < track.frame) track.frame = first.frame;
  else if (first.frame > track.frame && first.type === 'skeleton') first.frame = track.frame;
  else if (first.frame > track.frame) {
    // The object is not there yet: hidden from the start of the track until its first real keyframe.
    track.shapes.push({ ...first, id: null, frame: track.frame, outside: true });
  }
}

function moveStart(track: TrackElement, frame: number): void {
  const first = firstShape(track.shapes);
  if (first !== undefined) first.frame = frame;
  track.frame = frame;
}

function firstShape(shapes: readonly TrackedShape[]): TrackedShape | undefined {
  let first = shapes[0];
  for (const shape of shapes) if (first === undefined || shape.frame < first.frame) first = shape;
  return first;
}
