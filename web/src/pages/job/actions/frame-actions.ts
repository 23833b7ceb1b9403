import type { Review } from '../data/review';
import type { AnnotationIndex } from '../scene/annotation-index';
import { completeConditions, mayMatch, stopsAt } from '../scene/object-filter';
import { occupied } from '../scene/timeline';
import { getSettings } from '../settings/settings';
import { type ActionContext, type ActionGroup, activeOf } from './context';
import type { FrameAction } from '../data/actions';

/** Going to other frames. */
export function frameActions(context: ActionContext): ActionGroup<FrameAction> {
  const { frames, review, step, rights, show, focusNumber, deleteFrame } = context;
  const { frame } = review;
  const active = activeOf(context);
  const go = (to: number | undefined): void => (to === undefined ? undefined : step({ do: 'go', to }));
  return {
    back: () => step({ do: 'step', by: -1 }),
    forward: () => step({ do: 'step', by: 1 }),
    'back-far': () => step({ do: 'step', by: -getSettings().frameStep }),
    'forward-far': () => step({ do: 'step', by: getSettings().frameStep }),
    first: () => go(frames.stops[0] ?? frame),
    last: () => go(frames.stops.at(-1) ?? frame),
    'next-annotated': () => go(annotatedFrom(context, true)),
    'previous-annotated': () => go(annotatedFrom(context, false)),
    'next-empty': () => go(emptyFrom(context, true)),
    'previous-empty': () => go(emptyFrom(context, false)),
    'next-keyframe': () => go(active?.keyframes.find((keyframe) => keyframe > frame)),
    'previous-keyframe': () => go(active?.keyframes.findLast((keyframe) => keyframe < frame)),
    'first-keyframe': () => go(active?.keyframes[0]),
    'last-keyframe': () => go(active?.keyframes.at(-1)),
    'find-frame': () => (frames.haveNames ? show('find-frame') : undefined),
    'go-to-frame': focusNumber,
    'delete-frame': () => (rights?.deleteFrames === true ? deleteFrame(frame, !frames.isDeleted(frame)) : undefined),
    play: () => step({ do: 'play' }),
    faster: () => step({ do: 'change-speed', by: 1 }),
    slower: () => step({ do: 'change-speed', by: -1 }),
    filmstrip: () => step({ do: 'set', values: { hasFilmstrip: !review.hasFilmstrip } }),
    timeline: () => step({ do: 'set', values: { hasTimeline: !review.hasTimeline } }),
  };
}

/** @returns the nearest frame with annotations, or with some that meet the filter */
function annotatedFrom({ frames, review, annotated, editing }: ActionContext, forward: boolean): number | undefined {
  const isFiltered = completeConditions(review.filter).length > 0 && editing !== undefined;
  const isWanted = isFiltered ? frameFinder(editing.editor.index, review) : (number: number) => annotated.has(number);
  return frames.find(review.frame, forward, isWanted);
}

/** @returns whether a frame has an object that meets the filter. Tracks are looked at on every frame, so few of them are. */
function frameFinder(index: AnnotationIndex, review: Review): (frame: number) => boolean {
  const { filter } = review;
  const tracks = index.allTracks().filter((track) => mayMatch(track, filter));
  const keys = tracks.map(({ key }) => key);
  return (frame) => index.at(frame, keys).some((object) => stopsAt(object, frame, filter, review));
}

function emptyFrom({ frames, review, editing }: ActionContext, forward: boolean): number | undefined {
  if (editing === undefined) return undefined;
  const taken = occupied(editing.editor.document.entries(), frames.numbers);
  return frames.find(review.frame, forward, (number) => taken[frames.position(number)] === 0);
}
