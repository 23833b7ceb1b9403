/**
 * What agents are asked to do, with the wire names of their parameters. Frame numbers are those of the task.
 */

import type { ShapeType } from '../../shared/annotations/model.js';

/** Left, top, right and bottom of a region of interest, in pixels of the frame. */
export type Roi = readonly [xtl: number, ytl: number, xbr: number, ybr: number];

export type Point = readonly [x: number, y: number];

/** A shape to track. */
export interface TrackedForm {
  readonly type: ShapeType;
  readonly points: readonly number[];
}

export interface Detection {
  /** Function labels to task labels, by name. Labels that are absent are left out of the results. */
  readonly mapping: object;
  /** Null: the default of the function. */
  readonly threshold: number | null;
  readonly conv_mask_to_poly: boolean;
  readonly roi?: Roi;
}

export interface Prompts {
  readonly pos_points: readonly Point[];
  readonly neg_points: readonly Point[];
  /** Empty, or two opposite corners. */
  readonly obj_bbox: readonly Point[];
}

export type RequestParams =
  | ({ readonly type: 'annotate_task' } & Detection)
  | ({ readonly type: 'annotate_frame'; readonly frame: number } & Detection)
  | { readonly type: 'init_tracking'; readonly frame: number; readonly shapes: readonly TrackedForm[] }
  | { readonly type: 'track'; readonly frame: number; readonly states: readonly string[] }
  | ({ readonly type: 'interact'; readonly frame: number; readonly roi?: Roi } & Prompts);

export type RequestType = RequestParams['type'];

/** The kinds of functions that each type of request needs. */
export const KIND_OF: Readonly<Record<RequestType, 'detector' | 'interactor' | 'tracker'>> = {
  annotate_task: 'detector',
  annotate_frame: 'detector',
  init_tracking: 'tracker',
  track: 'tracker',
  interact: 'interactor',
};

/** Somebody waits for the results of interactive requests. */
export const CATEGORIES = ['interactive', 'batch'] as const;
export type Category = (typeof CATEGORIES)[number];

export const categoryOf = (type: RequestType): Category => (type === 'annotate_task' ? 'batch' : 'interactive');

/**
 * The parameters as agents expect them. An agent crops the frame to the region of interest and does not shift prompts, so
 * that they have to be relative to the region.
 */
export function paramsForAgent(taskId: number, params: RequestParams): object {
  const { type, ...rest } = params;
  const sent = { type, task: taskId, ...rest };
  if (params.type !== 'interact' || params.roi === undefined) return sent;
  const [left, top] = params.roi;
  const shifted = (points: readonly Point[]): Point[] => points.map(([x, y]) => [x - left, y - top]);
  return {
    ...sent,
    pos_points: shifted(params.pos_points),
    neg_points: shifted(params.neg_points),
    obj_bbox: shifted(params.obj_bbox),
  };
}
