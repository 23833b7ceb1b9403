import { type Policy, type ProjectFacts, projectPolicy } from 'cairn/extension';

export type ChecklistScope = 'create' | 'view' | 'update' | 'delete';

/**
 * Whoever can see a project can see its checklists and tick their items; whoever can update it can write and delete
 * them.
 */
export const checklistPolicy: Policy<ChecklistScope, ProjectFacts> = {
  allow: (scope, actor, project) =>
    projectPolicy.allow(scope === 'view' || scope === 'update' ? 'view' : 'update:desc', actor, project),
  visible: (actor) => projectPolicy.visible(actor),
};
