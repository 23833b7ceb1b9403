import type { EditedObject } from './edited-object.js';

/** Keys of tags and shapes by frame. Tracks are kept separately, because they can be on any frame. */
export class FrameKeys {
  private readonly frames = new Map<number, Set<string>>();
  readonly tracks: Set<string> = new Set();

  add(key: string, { kind, value }: EditedObject): void {
    if (kind === 'track') this.tracks.add(key);
    else {
      const keys = this.frames.get(value.frame) ?? new Set();
      this.frames.set(value.frame, keys.add(key));
    }
  }

  remove(key: string, object: EditedObject): void {
    if (object.kind === 'track') this.tracks.delete(key);
    const keys = this.frames.get(object.value.frame);
    if (keys?.delete(key) === true && keys.size === 0) this.frames.delete(object.value.frame);
  }

  /** Keys of tags and shapes. */
  at(frame: number): Iterable<string> {
    return this.frames.get(frame) ?? [];
  }

  /** Frames with tags or shapes. */
  used(): Iterable<number> {
    return this.frames.keys();
  }
}
