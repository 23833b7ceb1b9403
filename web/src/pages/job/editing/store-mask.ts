import type { Size } from '#shared/annotations/editing/geometry';
import type { Editor } from './editor';
import { withoutPixels } from './mask-pixels';
import { converted } from './shape-conversion';

export interface StoringOptions {
  /** Whether the other masks of the frame lose the pixels of the mask. */
  readonly removesUnderlying: boolean;
  readonly convertsToPolygons: boolean;
}

interface MaskTarget extends StoringOptions {
  /** Of the mask that was edited; undefined for a new one. */
  readonly key: string | undefined;
  readonly frame: number;
  /** Of the image. */
  readonly size: Size;
  readonly labelId: number;
  /** Keys of objects that cannot be changed. */
  readonly locked: ReadonlySet<string>;
  /** Of a new mask. Default: manual. */
  readonly source?: string;
}

interface StoredMask {
  /** Its key, or those of the polygons that it was converted to. */
  readonly keys: readonly string[];
  /** Why it was not converted. */
  readonly problem?: string;
}

/** Stores a mask that was drawn or edited, as one step of the undo history. An edited mask without pixels is deleted. */
export function storeMask(editor: Editor, target: MaskTarget, points: number[] | undefined): StoredMask {
  const { frame, labelId, source = 'manual' } = target;
  // Somebody else may have deleted it in the meantime. Then what was painted is stored as a new mask.
  const known = target.key !== undefined && editor.document.get(target.key) !== undefined ? target.key : undefined;
  if (points === undefined) {
    if (known !== undefined) editor.remove([known]);
    return { keys: [] };
  }
  let stored: StoredMask = { keys: [] };
  editor.together(() => {
    const key = known ?? editor.draw({ type: 'mask', points, frame, labelId, isTrack: false, source });
    if (known !== undefined && !isSame(points, editor.shapeAt(known, frame)?.points)) {
      editor.changeShape('Edit mask', known, frame, { points });
    }
    if (target.removesUnderlying) removeUnderlying(editor, target, key, points);
    stored = target.convertsToPolygons ? asPolygons(editor, target, key, points) : { keys: [key] };
  });
  return stored;
}

const isSame = (points: readonly number[], others: readonly number[] | undefined): boolean =>
  points.length === others?.length && points.every((value, at) => value === others[at]);

/** Converts a mask to polygons, unless it has too many regions. */
function asPolygons(editor: Editor, { size }: MaskTarget, key: string, points: number[]): StoredMask {
  const outcome = converted({ type: 'mask', points, rotation: 0 }, 'polygon', size);
  if (!('problem' in outcome)) return { keys: editor.replace('Draw polygon', [key], outcome.shapes) };
  return { keys: [key], problem: `${outcome.problem} It was stored as a mask.` };
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
