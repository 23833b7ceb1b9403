import type { Action, CommonAction } from '../data/actions';
import { isEdit } from '../data/shortcuts';
import type { ActionContext, ActionGroup } from './context';
import { frameActions } from './frame-actions';
import { historyActions, selectionActions, shapeActionGroup, valueActions } from './object-actions';
import { toolActions } from './tool-actions';
import { viewActions } from './view-actions';

/**
 * Does what a button of the toolbar or a key does. The mode can replace actions. Those that change annotations do nothing
 * if the user cannot edit the job.
 */
export function performAction(context: ActionContext, action: Action): void {
  const instead = context.modeActions.current[action];
  if (instead !== undefined) return instead();
  if (isEdit(action) && !context.mayEdit) return;
  const common: Partial<Record<Action, () => void>> = { ...commonActions(context), ...context.models.actions };
  common[action]?.();
}

const commonActions = (context: ActionContext): ActionGroup<CommonAction> => ({
  ...frameActions(context),
  ...viewActions(context),
  ...toolActions(context),
  ...selectionActions(context),
  ...historyActions(context),
  ...valueActions(context),
  ...shapeActionGroup(context),
});
