import { COLUMNS } from '../../../engines/annotations/copy-text.js';
import { type Kind, REMOVED, TABLES } from '../annotation-tables.js';
import type { Restored } from './revision.repository.js';

/** The number of the save after which a state was there; numbers of saves grow in their order. */
export const momentOf = ({ revision, state }: Restored): number => (state === 'after' ? revision : revision - 1);

/**
 * What stands behind FROM for the rows of jobs, as they are or were after a save; under the name of the table.
 * @param ofJobs trusted condition on the column `job_id`
 * @param at the save; becomes text, for COPY takes no parameters
 */
export function rowsOf(kind: Kind, ofJobs: string, at: number | undefined): string {
  const table = TABLES[kind];
  if (at === undefined) return table;
  const [columns, moment] = [COLUMNS[kind].join(', '), Math.trunc(at)];
  return `(select ${columns} from ${table} where ${ofJobs} and revision_id <= ${moment}
    union all
    select ${columns} from ${REMOVED[kind]} where ${ofJobs} and revision_id <= ${moment} and removed_id > ${moment}) as ${table}`;
}
