import { InvalidList } from '../../core/http/errors.js';
import { namedId } from '../../core/http/named-id.js';

/** What a guide is for. */
export interface GuideTarget {
  readonly kind: 'project' | 'task';
  readonly id: number;
}

export const targetOf = (row: { readonly task_id: number | null; readonly project_id: number | null }): GuideTarget =>
  row.project_id === null ? { kind: 'task', id: row.task_id ?? 0 } : { kind: 'project', id: row.project_id };

/**
 * The target that a body names, before it is validated.
 * @returns undefined when it names none
 * @throws InvalidList
 */
export function namedTarget(body: Readonly<Record<string, unknown>>): GuideTarget | undefined {
  const project = idIn(body, 'project_id');
  const task = idIn(body, 'task_id');
  if (project !== undefined && task !== undefined)
    throw new InvalidList('Both project_id and task_id must not be specified');
  if (project !== undefined) return { kind: 'project', id: project };
  return task === undefined ? undefined : { kind: 'task', id: task };
}

function idIn(body: Readonly<Record<string, unknown>>, key: 'project_id' | 'task_id'): number | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  const id = namedId(value);
  if (id === undefined) throw new InvalidList(`"${key}" must be an integer`);
  return id;
}
