import { NotPossible } from '../../../app/not-possible';
import type { Review } from '../data/review';
import type { MaskMode } from '../editing/mask-options';
import { drawingLabel } from '../editing/drawing-label';
import type { DrawnType } from '../editing/sketch';
import { type ActionContext, type ActionGroup, activeOf, unlockedOf } from './context';
import type { ToolAction } from '../data/actions';

/** Selecting tools, and what they do while something is drawn. */
export function toolActions(context: ActionContext): ActionGroup<ToolAction> {
  const { review, step, stage, masks, models, rights, drawable } = context;
  const pick = (tool: Review['tool']): void => step({ do: 'use', tool });
  const pickToDraw = (type: DrawnType): void => {
    if (drawable.includes(type)) drawWith(context, [type], () => pick(type));
  };
  const pickScissors = (): void => {
    if (drawable.includes('polygon')) drawWith(context, ['polygon'], () => pick('scissors'));
  };
  const repeat = (): void => {
    if (review.repeated === 'clicks') models.actions['clicks-tool']();
    else if (review.repeated === 'scissors') pickScissors();
    else pickToDraw(review.repeated);
  };
  const paintMask = (mode: MaskMode): void => {
    if (review.tool === 'mask') masks.use(mode);
    else if (drawable.includes('mask')) drawWith(context, ['mask'], () => masks.use(mode));
  };
  return {
    'select-tool': () => pick('select'),
    'move-tool': () => pick('move'),
    'issue-tool': () => (rights?.openIssue === true ? pick('issue') : undefined),
    'ruler-tool': () => pick('ruler'),
    'rectangle-tool': () => pickToDraw('rectangle'),
    'ellipse-tool': () => pickToDraw('ellipse'),
    'polygon-tool': () => pickToDraw('polygon'),
    'polyline-tool': () => pickToDraw('polyline'),
    'points-tool': () => pickToDraw('points'),
    'cuboid-tool': () => pickToDraw('cuboid'),
    'skeleton-tool': () => pickToDraw('skeleton'),
    'mask-tool': () => pickToDraw('mask'),
    'scissors-tool': pickScissors,
    'mask-brush': () => paintMask('brush'),
    'mask-eraser': () => paintMask('eraser'),
    'mask-polygon-plus': () => paintMask('polygon-plus'),
    'mask-polygon-minus': () => paintMask('polygon-minus'),
    'edit-mask': () => {
      const active = unlockedActive(context);
      if (active?.type === 'mask' && drawable.includes('mask')) masks.edit();
    },
    draw: () => {
      if (review.tool !== review.repeated && review.tool !== 'slice') repeat();
      else if (review.tool === 'mask') masks.finish();
      else stage?.finish();
    },
    redraw: () => {
      const object = unlockedActive(context);
      const type = drawable.find((one) => one === object?.type);
      if (object === undefined || type === undefined) return;
      if (type === 'mask') masks.edit();
      else step({ do: 'use', tool: type, redraws: object.key });
    },
    'toggle-snapping': () => step({ do: 'set', values: { snaps: !review.snaps } }),
    cancel: () => (masks.cancel() ? undefined : step({ do: 'cancel' })),
  };
}

function unlockedActive(context: ActionContext): ReturnType<typeof activeOf> {
  const active = activeOf(context);
  return active !== undefined && unlockedOf(context).includes(active) ? active : undefined;
}

/** Takes a tool, unless the selected label does not fit what it draws. */
function drawWith(context: ActionContext, types: readonly DrawnType[], take: () => void): void {
  const { editing, review, onError } = context;
  const { problem } = drawingLabel(editing?.editor.labels ?? [], review, types);
  if (problem === undefined) take();
  else onError(new NotPossible(problem));
}
