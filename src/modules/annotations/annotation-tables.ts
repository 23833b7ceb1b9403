import { COLUMNS } from '../../engines/annotations/copy-text.js';
import type { IdsByKind } from '../../engines/annotations/prepare-write.js';
import type { Restored } from './history/revision.repository.js';

export type Kind = keyof IdsByKind;

/** The table of each type. */
export const TABLES: Readonly<Record<Kind, string>> = {
  tag: 'annotation_tag',
  shape: 'annotation_shape',
  track: 'annotation_track',
  trackedShape: 'annotation_tracked_shape',
  interval: 'annotation_interval',
};

export const KINDS = Object.keys(TABLES) as readonly Kind[];

/** The table with the removed rows of each type, which the history needs. */
export const REMOVED: Readonly<Record<Kind, string>> = {
  tag: 'annotation_tag_removed',
  shape: 'annotation_shape_removed',
  track: 'annotation_track_removed',
  trackedShape: 'annotation_tracked_shape_removed',
  interval: 'annotation_interval_removed',
};

/** Names of CVAT's primary keys, which clients look for in the error about a taken id. */
export const KEY_NAMES: Readonly<Record<Kind, string>> = {
  tag: 'engine_labeledimage_pkey',
  shape: 'engine_labeledshape_pkey',
  track: 'engine_labeledtrack_pkey',
  trackedShape: 'engine_trackedshape_pkey',
  interval: 'engine_labeledinterval_pkey',
};

/** The id of the last save that the state includes. Later saves have greater ids. */
export const lastSaveOf = ({ revision, state }: Restored): number => (state === 'after' ? revision : revision - 1);

/**
 * The FROM item with the rows of jobs, aliased to the name of the table.
 * @param ofJobs condition on the column `job_id`; inserted without escaping
 * @param at read the state after this save, by default the current one; inserted as a literal, because COPY takes no
 *   parameters
 */
export function rowsOf(kind: Kind, ofJobs: string, at: number | undefined): string {
  const table = TABLES[kind];
  if (at === undefined) return table;
  const [columns, moment] = [COLUMNS[kind].join(', '), Math.trunc(at)];
  return `(select ${columns} from ${table} where ${ofJobs} and revision_id <= ${moment}
    union all
    select ${columns} from ${REMOVED[kind]} where ${ofJobs} and revision_id <= ${moment} and removed_id > ${moment}) as ${table}`;
}
