import { Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { Discovery, methodHook } from '../../core/discovery/discovery.js';
import { Invalid, InvalidList } from '../../core/http/errors/errors.js';
import { Cascades } from '../../core/events/cascades.js';
import { type Sql, sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../shared/policy/actor.js';
import { LabelService } from '../labels/index.js';
import { ProjectRepository, ProjectService } from '../projects/index.js';
import type { TaskRow } from './task.dto.js';

interface AttributeForMapping {
  readonly id: number;
  readonly name: string;
  readonly input_type: string;
  readonly values: readonly string[];
}

interface JointForMapping {
  readonly id: number;
  readonly name: string;
  readonly attributes: readonly AttributeForMapping[];
}

interface LabelForMapping extends JointForMapping {
  readonly sublabels: readonly JointForMapping[];
}

/** Maps old ids to new ids. */
export interface LabelMapping {
  readonly labels: ReadonlyMap<number, number>;
  readonly attributes: ReadonlyMap<number, number>;
}

/** Calls the method when a task moves to other labels: to replace the label ids that annotations hold. */
export const OnLabelRemapping = methodHook<void, (tx: Tx, taskId: number, mapping: LabelMapping) => Promise<void>>();

/** Moves a task into a project: its annotations get the project's labels of the same names. */
@Injectable()
export class TaskMove {
  constructor(
    private readonly projects: ProjectService,
    private readonly projectRows: ProjectRepository,
    private readonly labels: LabelService,
    private readonly discovery: Discovery,
    private readonly cascades: Cascades,
  ) {}

  /** Locks the annotations, which get other labels. Call it before the task is locked. */
  lock(tx: Tx, taskId: number): Promise<void> {
    return this.cascades.lock(tx, 'task', [taskId]);
  }

  /** @returns the assignments for the task's row */
  async into(tx: Tx, actor: Actor, task: TaskRow, projectId: number | null): Promise<Sql[]> {
    if (projectId === task.project_id) return [];
    if (projectId === null) throw new Invalid({ project_id: ['A task cannot be removed from its project.'] });
    const project = await this.projectRows.find(tx, projectId);
    if (project === undefined) throw new InvalidList('Project matching query does not exist.');
    await this.projects.require(tx, actor, projectId, 'view');
    if (project.dimension !== null && project.dimension !== task.dimension) {
      throw new InvalidList(
        `Dimension (${task.dimension}) of the task must be the same as other tasks in project (${project.dimension})`,
      );
    }
    const from =
      task.project_id === null
        ? ({ kind: 'task', id: task.id } as const)
        : ({ kind: 'project', id: task.project_id } as const);
    const own: LabelForMapping[] = await this.labels.ofOwner(tx, from);
    const mapping = mapLabels(own, await this.labels.ofOwner(tx, { kind: 'project', id: projectId }));
    for (const { found } of this.discovery.methods(OnLabelRemapping)) await found(tx, task.id, mapping);
    if (task.project_id === null) await tx.query(sql`delete from label where task_id = ${task.id}`);
    return [sql`project_id = ${projectId}`];
  }
}

/**
 * Maps each label, joint and attribute to the one of the same name.
 * @throws Invalid, InvalidList if one has no counterpart
 */
function mapLabels(from: readonly LabelForMapping[], to: readonly LabelForMapping[]): LabelMapping {
  const labels = new Map<number, number>();
  const attributes = new Map<number, number>();
  for (const label of from) {
    const target = to.find((candidate) => candidate.name === label.name);
    if (target === undefined) {
      throw new Invalid({ non_field_errors: ['All task or project label names must be mapped to the target project'] });
    }
    mapPair(label, target, labels, attributes);
    if (label.sublabels.length !== target.sublabels.length) throw unmatchedJoints(label);
    for (const joint of label.sublabels) {
      const counterpart = target.sublabels.find((candidate) => candidate.name === joint.name);
      if (counterpart === undefined) throw unmatchedJoints(label);
      mapPair(joint, counterpart, labels, attributes);
    }
  }
  return { labels, attributes };
}

const unmatchedJoints = (label: LabelForMapping): InvalidList =>
  new InvalidList(`Sublabels of "${label.name}" label must match those of the target project`);

function mapPair(
  from: JointForMapping,
  to: JointForMapping,
  labels: Map<number, number>,
  attributes: Map<number, number>,
): void {
  labels.set(from.id, to.id);
  for (const attribute of from.attributes) {
    const target = to.attributes.find(
      (candidate) =>
        candidate.name === attribute.name &&
        candidate.input_type === attribute.input_type &&
        candidate.values.join('\n') === attribute.values.join('\n'),
    );
    if (target === undefined) {
      throw new InvalidList(`Target project does not have "${from.name}" label with "${attribute.name}" attribute`);
    }
    attributes.set(attribute.id, target.id);
  }
}
