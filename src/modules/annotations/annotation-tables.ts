import type { IdsByKind } from '../../engines/annotations/ids.js';

export type Kind = keyof IdsByKind;

/** Table of each kind. */
export const TABLES: Readonly<Record<Kind, string>> = {
  tag: 'annotation_tag',
  shape: 'annotation_shape',
  track: 'annotation_track',
  trackedShape: 'annotation_tracked_shape',
  interval: 'annotation_interval',
};

export const KINDS = Object.keys(TABLES) as readonly Kind[];

/** Table of the rows of each kind that are not there any more. */
export const REMOVED: Readonly<Record<Kind, string>> = {
  tag: 'annotation_tag_removed',
  shape: 'annotation_shape_removed',
  track: 'annotation_track_removed',
  trackedShape: 'annotation_tracked_shape_removed',
  interval: 'annotation_interval_removed',
};

/** The names that clients of the contract know for "this id is taken". */
export const KEY_NAMES: Readonly<Record<Kind, string>> = {
  tag: 'engine_labeledimage_pkey',
  shape: 'engine_labeledshape_pkey',
  track: 'engine_labeledtrack_pkey',
  trackedShape: 'engine_trackedshape_pkey',
  interval: 'engine_labeledinterval_pkey',
};
