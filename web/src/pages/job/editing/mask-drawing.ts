// The code that draws masks. It is loaded when it is first needed.
import type { Size } from '#shared/annotations/editing/geometry';
import type { Editor } from './editor';
import { withoutPixels } from './mask-pixels';

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
  /** Keys of objects that cannot be changed. */
  readonly locked: ReadonlySet<string>;
}

/**
 * Stores a mask that was drawn or edited, as one step of the undo history. An edited mask without pixels is deleted.
 * @returns its key, or undefined if there is none
 */
export function storeMask(editor: Editor, target: MaskTarget, points: number[] | undefined): string | undefined {
  const { frame, labelId } = target;
  // Somebody else may have deleted it in the meantime. Then what was painted is stored as a new mask.
  const known = target.key !== undefined && editor.document.get(target.key) !== undefined ? target.key : undefined;
  if (points === undefined) {
    if (known !== undefined) editor.remove([known]);
    return undefined;
  }
  let key = known;
  editor.together(() => {
    if (known === undefined) key = editor.draw({ type: 'mask', points, frame, labelId, isTrack: false });
    else editor.changeShape('Edit mask', known, frame, { points });
    if (target.removesUnderlying) removeUnderlying(editor, target, key, points);
  });
  return key;
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
