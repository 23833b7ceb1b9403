import type { ToolName } from '../canvas/tools';
import type { FrameSet } from '../frames/frame-set';
import type { Quality } from '../frames/frame-loader';
import { type LabelChoice, toolFor, typesOfTool } from '../editing/drawing-label';
import { DRAWN_TYPES, type DrawnType } from '../editing/sketch';
import type { Label } from '../../../app/api';
import { type ColorBy, type Colors, recolored, type SceneObject } from '../scene/scene';
import { NO_FILTER, type ObjectFilter } from '../scene/object-filter';

export const SPEEDS = [0.25, 0.5, 1, 2, 4] as const;
export type Speed = (typeof SPEEDS)[number];

/** The tools that can be repeated. */
export type RepeatedTool = DrawnType | 'scissors' | 'clicks';

export type Tab = 'objects' | 'conflicts' | 'issues';

/** The view state of the job page. */
export interface Review extends LabelChoice {
  readonly frame: number;
  /** Direction of the last step. */
  readonly direction: 1 | -1;
  readonly isPlaying: boolean;
  /** Relative to the rate of the clip. */
  readonly speed: Speed;
  readonly quality: Quality;
  readonly areAllHidden: boolean;
  /** Keys of objects that are hidden on all frames. */
  readonly hidden: ReadonlySet<string>;
  /** Keys of objects that cannot be edited. */
  readonly locked: ReadonlySet<string>;
  /** Keys of objects that cannot be moved as a whole. */
  readonly pinned: ReadonlySet<string>;
  /** Colours that the user has given to labels, objects and groups. They are not saved. */
  readonly colors: Colors;
  readonly search: string;
  /** Which objects are listed, drawn and found. */
  readonly filter: ObjectFilter;
  /** Keys of the selected objects in the order of their selection. The last one is the active object. */
  readonly selected: readonly string[];
  readonly tool: ToolName;
  /** The type that is drawn next. */
  readonly drawing: DrawnType;
  /** The tool that the key for drawing again selects. */
  readonly repeated: RepeatedTool;
  /** Whether the next drawing starts a track. */
  readonly drawsTracks: boolean;
  /** Whether vertices snap to the outlines of other objects without Ctrl, too. */
  readonly snaps: boolean;
  /** Whether rectangles are drawn by four extreme points instead of two corners. */
  readonly takesExtremePoints: boolean;
  /** Whether cuboids are drawn by four points instead of the box of their front. */
  readonly takesFourPoints: boolean;
  /** The number of vertices that completes a polygon, a polyline or points; undefined: the user decides. */
  readonly pointLimit: number | undefined;
  /** The key of the object that the next drawing replaces. */
  readonly redrawn: string | null;
  readonly tab: Tab;
  readonly issue: number | null;
  /** The conflict of a quality report whose objects are selected. */
  readonly conflict: number | null;
  /** Frame and position of the draft of an issue. */
  readonly draft: { readonly frame: number; readonly position: readonly number[] } | null;
  readonly hasFilmstrip: boolean;
  readonly hasTimeline: boolean;
}

/** States of objects that belong to the view and are not saved. */
export type Mark = 'hidden' | 'locked' | 'pinned';

export type Step =
  | { readonly do: 'go'; readonly to: number }
  | { readonly do: 'step'; readonly by: number }
  | { readonly do: 'play'; readonly on?: boolean }
  | { readonly do: 'change-speed'; readonly by: 1 | -1 }
  /** @param redraws the key of the object to draw anew */
  | { readonly do: 'use'; readonly tool: ToolName; readonly redraws?: string }
  | { readonly do: 'select-label'; readonly label: Pick<Label, 'id' | 'type'> }
  /** An object was drawn. */
  | { readonly do: 'use-label' }
  | { readonly do: 'select'; readonly key: string | null }
  | { readonly do: 'toggle-selected'; readonly key: string }
  | { readonly do: 'select-all'; readonly keys: readonly string[]; readonly adds?: boolean }
  | { readonly do: 'toggle-all' }
  | { readonly do: 'mark'; readonly as: Mark; readonly keys: readonly string[] }
  | { readonly do: 'recolor'; readonly objects: readonly SceneObject[]; readonly by: ColorBy }
  | { readonly do: 'open-issue'; readonly id: number | null; readonly frame?: number }
  | { readonly do: 'open-conflict'; readonly id: number; readonly frame: number; readonly keys: readonly string[] }
  | { readonly do: 'draft'; readonly position: readonly number[] }
  | { readonly do: 'end-draft'; readonly created?: number }
  | { readonly do: 'cancel' }
  | { readonly do: 'toggle-quality' }
  | {
      readonly do: 'set';
      readonly values: Partial<
        Pick<
          Review,
          | 'speed'
          | 'search'
          | 'filter'
          | 'drawsTracks'
          | 'snaps'
          | 'takesExtremePoints'
          | 'takesFourPoints'
          | 'pointLimit'
          | 'tab'
          | 'hasFilmstrip'
          | 'hasTimeline'
        >
      >;
    };

const REPEATED: readonly RepeatedTool[] = [...DRAWN_TYPES, 'scissors', 'clicks'];

/** @param drawing the tool that draws first */
export function newReview(frame: number, drawing: DrawnType = 'rectangle'): Review {
  return {
    frame,
    direction: 1,
    isPlaying: false,
    speed: 1,
    quality: 'compressed',
    areAllHidden: false,
    hidden: new Set(),
    locked: new Set(),
    pinned: new Set(),
    colors: new Map(),
    search: '',
    filter: NO_FILTER,
    selected: [],
    tool: 'select',
    drawing,
    repeated: drawing,
    labelId: null,
    isLabelUsed: false,
    drawsTracks: false,
    snaps: false,
    takesExtremePoints: false,
    takesFourPoints: false,
    pointLimit: undefined,
    redrawn: null,
    tab: 'objects',
    issue: null,
    conflict: null,
    draft: null,
    hasFilmstrip: false,
    hasTimeline: false,
  };
}

/** @returns the state after a step. Frames are limited to those of the job. */
export function advance(frames: FrameSet, review: Review, step: Step): Review {
  switch (step.do) {
    case 'go':
      return goTo(review, frames.nearest(step.to));
    case 'step':
      return moveOn(frames, review, step.by);
    case 'play': {
      const isPlaying = step.on ?? !review.isPlaying;
      const atEnd = frames.step(review.frame, 1) === review.frame;
      return isPlaying && atEnd
        ? { ...goTo(review, frames.stops[0] ?? review.frame), direction: 1, isPlaying }
        : { ...review, isPlaying };
    }
    case 'change-speed':
      return { ...review, speed: SPEEDS[SPEEDS.indexOf(review.speed) + step.by] ?? review.speed };
    case 'use':
      return take(review, step.tool, step.redraws);
    case 'select-label': {
      const tool = toolFor(step.label, review.tool);
      const now = tool === review.tool ? review : take(review, tool);
      return { ...now, labelId: step.label.id, isLabelUsed: false };
    }
    case 'use-label':
      return { ...review, isLabelUsed: true };
    case 'select':
      return select(review, step.key === null ? [] : [step.key]);
    case 'toggle-selected': {
      const others = review.selected.filter((key) => key !== step.key);
      return select(review, others.length < review.selected.length ? others : [...others, step.key]);
    }
    case 'select-all':
      return select(review, [...new Set([...(step.adds === true ? review.selected : []), ...step.keys])]);
    case 'toggle-all':
      return { ...review, areAllHidden: !review.areAllHidden };
    case 'mark':
      return { ...review, [step.as]: marked(review[step.as], step.keys) };
    case 'recolor':
      return { ...review, colors: recolored(review.colors, step.objects, step.by) };
    case 'open-issue': {
      const opened = { ...review, issue: step.id, tab: 'issues' } as const;
      return step.frame === undefined ? opened : goTo({ ...opened, isPlaying: false }, frames.nearest(step.frame));
    }
    case 'open-conflict': {
      const opened = { ...review, conflict: step.id, selected: step.keys, tab: 'conflicts', isPlaying: false } as const;
      return goTo(opened, frames.nearest(step.frame));
    }
    case 'draft': {
      const draft = { frame: review.frame, position: step.position };
      return { ...review, draft, tool: 'select', tab: 'issues', issue: null, isPlaying: false };
    }
    case 'end-draft':
      return { ...review, draft: null, issue: step.created ?? review.issue };
    case 'cancel':
      return review.tool === 'select'
        ? { ...review, selected: [], issue: null, conflict: null }
        : { ...review, tool: 'select', redrawn: null };
    case 'toggle-quality':
      return { ...review, quality: review.quality === 'compressed' ? 'original' : 'compressed' };
    case 'set':
      return { ...review, ...step.values };
  }
}

/** The key of the object that was selected last. Its fields and handles are shown. */
export const activeKey = ({ selected }: Pick<Review, 'selected'>): string | null => selected.at(-1) ?? null;

function take(review: Review, tool: ToolName, redraws: string | null = null): Review {
  const [drawing = review.drawing] = tool === 'clicks' ? [] : typesOfTool(tool);
  const repeated = REPEATED.find((one) => one === tool) ?? review.repeated;
  return { ...review, tool, drawing, repeated, redrawn: redraws, isPlaying: false };
}

const select = (review: Review, selected: readonly string[]): Review => ({
  ...review,
  selected,
  conflict: null,
  ...(selected.length === 0 ? {} : { tab: 'objects' }),
});

function goTo(review: Review, frame: number): Review {
  if (frame === review.frame) return review;
  return { ...review, frame, direction: frame > review.frame ? 1 : -1 };
}

/** Playback ends at the last frame. */
function moveOn(frames: FrameSet, review: Review, by: number): Review {
  const frame = frames.step(review.frame, by);
  const isPlaying = review.isPlaying && by > 0 && frame !== frames.step(frame, 1);
  return { ...goTo(review, frame), isPlaying };
}

/** Adds the keys, or removes them if all are in the set. */
const marked = (set: ReadonlySet<string>, keys: readonly string[]): ReadonlySet<string> => {
  if (!keys.every((key) => set.has(key))) return new Set([...set, ...keys]);
  const removed = new Set(keys);
  return new Set([...set].filter((key) => !removed.has(key)));
};
