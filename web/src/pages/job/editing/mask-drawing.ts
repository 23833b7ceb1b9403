// The code that draws masks. It is loaded when it is first needed.
import type { Size } from '#shared/annotations/editing/geometry';
import type { Editor } from './editor';
import { withoutPixels } from './mask-pixels';
import { converted } from './shape-conversion';

export { MaskView } from '../canvas/mask-view';
export { MaskSession } from './mask-session';

interface MaskTarget {
  /** Of the mask that was edited; undefined for a new one. */
  readonly key: string | undefined;
  readonly frame: number;
  /** Of the image. */
  readonly size: Size;
  readonly labelId: number;
  readonly removesUnderlying: boolean;
  readonly convertsToPolygons: boolean;
  /** Keys of objects that cannot be changed. */
  readonly locked: ReadonlySet<string>;
}

/**
 * Stores a mask that was drawn or edited, as one step of the undo history. An edited mask without pixels is deleted.
 * @returns its key, or those of the polygons that it was converted to
 */
export function storeMask(editor: Editor, target: MaskTarget, points: number[] | undefined): readonly string[] {
  const { frame, labelId } = target;
  // Somebody else may have deleted it in the meantime. Then what was painted is stored as a new mask.
  const known = target.key !== undefined && editor.document.get(target.key) !== undefined ? target.key : undefined;
  if (points === undefined) {
    if (known !== undefined) editor.remove([known]);
    return [];
  }
  let keys: readonly string[] = [];
  editor.together(() => {
    const key = known ?? editor.draw({ type: 'mask', points, frame, labelId, isTrack: false });
    if (known !== undefined) editor.changeShape('Edit mask', known, frame, { points });
    if (target.removesUnderlying) removeUnderlying(editor, target, key, points);
    keys = target.convertsToPolygons ? withPolygons(editor, target, key, points) : [key];
  });
  return keys;
}

/** Converts a mask to polygons, unless it has too many regions. @returns the keys */
function withPolygons(editor: Editor, { size }: MaskTarget, key: string, points: number[]): readonly string[] {
  const outcome = converted({ type: 'mask', points, rotation: 0 }, 'polygon', size);
  return 'problem' in outcome ? [key] : editor.replace('Draw polygon', [key], outcome.shapes);
}

/** Removes pixels from the other masks of the frame. A mask that has none left is deleted. */
function removeUnderlying(
  editor: Editor,
  { frame, size, locked }: MaskTarget,
  drawn: string | undefined,
  points: readonly number[],
): void {
  for (const { key, type, kind } of editor.index.at(frame)) {
    if (key === drawn || kind !== 'shape' || type !== 'mask' || locked.has(key)) continue;
    const left = withoutPixels(editor.shapeAt(key, frame)?.points ?? [], points, size);
    if (left === undefined) editor.remove([key]);
    else if (left !== 'same') editor.changeShape('Remove underlying pixels', key, frame, { points: left });
  }
}
