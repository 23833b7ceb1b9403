import type { Queryable } from '../../core/database/db.js';
import { LabelIndex, type LabelSpec } from '../../engines/annotations/labels.js';
import type { LabelService } from '../labels/index.js';
import type { AnnotatedTask } from './annotated-task.repository.js';

type LabelRows = Awaited<ReturnType<LabelService['ofOwner']>>;
type Attributes = LabelRows[number]['attributes'];

/** The labels that annotations of a task may use: those of its project, where there is one, else its own. */
export async function labelsOf(db: Queryable, labels: LabelService, task: AnnotatedTask): Promise<LabelIndex> {
  const owner =
    task.project_id === null
      ? ({ kind: 'task', id: task.id } as const)
      : ({ kind: 'project', id: task.project_id } as const);
  return new LabelIndex(specs(await labels.ofOwner(db, owner)));
}

const specs = (rows: LabelRows): LabelSpec[] =>
  rows.flatMap((row) => [
    { id: row.id, type: row.type, parentId: null, attributes: attributes(row.attributes) },
    ...row.sublabels.map((joint) => ({
      id: joint.id,
      type: joint.type,
      parentId: row.id,
      attributes: attributes(joint.attributes),
    })),
  ]);

const attributes = (rows: Attributes): LabelSpec['attributes'] =>
  rows.map((row) => ({
    id: row.id,
    mutable: row.mutable,
    defaultValue: row.default_value,
    inputType: row.input_type,
    values: row.values,
  }));
