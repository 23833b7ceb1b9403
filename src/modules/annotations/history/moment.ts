import { COLUMNS } from '../../../engines/annotations/copy-text.js';
import { type Kind, REMOVED, TABLES } from '../annotation-tables.js';
import type { Restored } from './revision.repository.js';

/** The number of the save after which a state was there; numbers of saves grow in their order. */
export const momentOf = ({ revision, state }: Restored): number => (state === 'after' ? revision : revision - 1);

/**
 * What stands behind FROM for the rows of a job, as they are or were after a save; under the name of the table.
 * Numbers become text: COPY takes no parameters.
 */
export function rowsOf(kind: Kind, job: { readonly id: number; readonly at?: number }): string {
  const table = TABLES[kind];
  if (job.at === undefined) return table;
  const [id, at] = [Math.trunc(job.id), Math.trunc(job.at)];
  const columns = COLUMNS[kind].join(', ');
  return `(select ${columns} from ${table} where job_id = ${id} and revision_id <= ${at}
    union all
    select ${columns} from ${REMOVED[kind]} where job_id = ${id} and revision_id <= ${at} and removed_id > ${at}) as ${table}`;
}
