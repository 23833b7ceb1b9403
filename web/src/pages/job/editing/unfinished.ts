import type { AnnotationDocument } from '#shared/annotations/editing/document';
import type { EditedObject } from '#shared/annotations/editing/edited-object';
import type { Shape } from '#shared/annotations/model';
import { newKey, type NewObjects } from './new-objects';

interface PaintedMask extends Pick<Shape, 'points' | 'frame' | 'label_id'> {
  /** Of the mask that is edited; undefined: it is a new one. */
  readonly key: string | undefined;
}

/** What the user is drawing, but what is not in the document yet. */
export class Unfinished {
  private drawn: readonly [string, EditedObject] | undefined;
  private redrawn: string | undefined;
  /** Called when the draft has changed. */
  onDraft: () => void = () => undefined;

  /** @param onReleased called when others have changed an object that is not held any more */
  constructor(
    private readonly document: AnnotationDocument,
    private readonly created: NewObjects,
    private readonly onReleased: () => void,
  ) {}

  /** A mask that is still being painted, and its key. It must survive a crash. */
  get draft(): readonly [string, EditedObject] | undefined {
    return this.drawn;
  }

  /** @param mask the mask as it would be if it was finished now; undefined: none is being painted */
  setDraft(mask?: PaintedMask): void {
    const before = this.drawn;
    this.drawn = mask && this.draftOf(mask, before?.[0]);
    if (before !== this.drawn) this.onDraft();
  }

  /** The key of an object that is being edited, but whose change is not in the document yet. */
  get held(): string | undefined {
    return this.drawn?.[0] ?? this.redrawn;
  }

  /**
   * Holds an object while its outline is redrawn: what others save of it meanwhile is a conflict.
   * @returns a function that ends this
   */
  hold(key: string): () => void {
    this.redrawn = key;
    return () => {
      this.redrawn = undefined;
      if (this.document.release(key)) this.onReleased();
    };
  }

  private draftOf(mask: PaintedMask, last: string | undefined): readonly [string, EditedObject] {
    const object = mask.key === undefined ? undefined : this.document.get(mask.key);
    if (mask.key !== undefined && object?.kind === 'shape')
      return [mask.key, { kind: 'shape', value: { ...object.value, points: mask.points } }];
    return [last ?? newKey('shape'), this.created.mask(mask)];
  }
}
