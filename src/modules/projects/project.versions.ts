import type { Queryable } from '../../core/database/db.js';
import type { Representation, WireObject } from '../../core/versioning/representations.js';
import { type LabelService, toEmbeddedLabel } from '../labels/index.js';

/** Version 2.0 has the labels themselves in a project. */
export const projectVersions = (labels: LabelService): Representation => ({
  resource: 'project',
  extras: async (db: Queryable, projects: readonly WireObject[]) => {
    const ids = projects.map((project) => Number(project['id']));
    const rows = await labels.ofOwners(db, 'project', ids);
    return ids.map((id) => ({ labels: rows.filter((row) => row.project_id === id).map(toEmbeddedLabel) }));
  },
  older: { '2.0': { embedded: 'labels' } },
});
