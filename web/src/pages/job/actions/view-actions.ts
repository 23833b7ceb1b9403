import type { ActionContext, ActionGroup } from './context';
import type { ViewAction } from '../data/actions';

const PAN_STEP = 80;
/** In screen pixels of a drag. */
const TURN_STEP = 40;
const ZOOM_STEP = 1.25;

/** Moving the view, and opening dialogs. */
export function viewActions({ stage, step, show }: ActionContext): ActionGroup<ViewAction> {
  return {
    'pan-left': () => stage?.camera.panBy(PAN_STEP, 0),
    'pan-right': () => stage?.camera.panBy(-PAN_STEP, 0),
    'pan-up': () => stage?.camera.panBy(0, PAN_STEP),
    'pan-down': () => stage?.camera.panBy(0, -PAN_STEP),
    'zoom-in': () => stage?.camera.zoomBy(ZOOM_STEP),
    'zoom-out': () => stage?.camera.zoomBy(1 / ZOOM_STEP),
    fit: () => stage?.camera.fit(),
    'turn-left': () => stage?.camera.turnBy?.(TURN_STEP, 0),
    'turn-right': () => stage?.camera.turnBy?.(-TURN_STEP, 0),
    'turn-up': () => stage?.camera.turnBy?.(0, TURN_STEP),
    'turn-down': () => stage?.camera.turnBy?.(0, -TURN_STEP),
    'rotate-right': () => stage?.camera.rotate?.(90),
    'rotate-left': () => stage?.camera.rotate?.(-90),
    'actual-size': () => stage?.camera.zoomBy(1 / stage.camera.view.scale),
    quality: () => step({ do: 'toggle-quality' }),
    help: () => show('shortcuts'),
    settings: () => show('settings'),
    statistics: () => show('statistics'),
    'filter-objects': () => show('filter'),
  };
}
