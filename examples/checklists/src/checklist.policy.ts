import { type Policy, type ProjectFacts, projectPolicy } from 'cairn/extension';

export type ChecklistScope = 'create' | 'view' | 'update' | 'delete';

/** Who sees a project sees its checklists and ticks their items; who may describe it writes and deletes them. */
export const checklistPolicy: Policy<ChecklistScope, ProjectFacts> = {
  allow: (scope, actor, project) =>
    projectPolicy.allow(scope === 'view' || scope === 'update' ? 'view' : 'update:desc', actor, project),
  visible: (actor) => projectPolicy.visible(actor),
};
