import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { rectangleOn as shape } from '../../../../test/support/rectangle-on.js';
import type { Tag } from '../model.js';
import { AnnotationDocument, type Conflict } from './document.js';
import type { Change } from './history.js';
import { type EditedObject, keyOf, type StoredObject, storedObjects } from './edited-object.js';
import { trackFrom, withKeyframe } from './tracks.js';

const tag = (frame: number): Tag => ({ id: null, label_id: 1, group: 0, source: 'manual', attributes: [], frame });

const anyBox = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 4, maxLength: 4 });
const anyFrame = fc.integer({ min: 0, max: 5 });
const anyObject: fc.Arbitrary<EditedObject> = fc.oneof(
  anyFrame.map((frame): EditedObject => ({ kind: 'tag', value: tag(frame) })),
  fc.tuple(anyFrame, anyBox).map(([frame, box]): EditedObject => ({ kind: 'shape', value: shape(frame, box) })),
  fc.tuple(anyFrame, anyBox, anyBox).map(([frame, from, to]): EditedObject => {
    const track = trackFrom(shape(frame, from));
    return { kind: 'track', value: withKeyframe(track, frame + 3, { points: to }) };
  }),
);
const anyStored = fc
  .array(anyObject, { maxLength: 6 })
  .map((objects): StoredObject[] => objects.map((object, i) => ({ id: i + 1, object })));

/** A random edit of one object: of an existing one, or a new one. */
interface Edit {
  readonly which: number;
  readonly object: EditedObject | undefined;
}
const anyEdit: fc.Arbitrary<Edit> = fc.record({
  which: fc.nat(7),
  object: fc.option(anyObject, { nil: undefined }),
});

/** Objects keep their kind, as in the editor. */
function edit(document: AnnotationDocument, keys: readonly string[], { which, object }: Edit): void {
  const key = keys[which] ?? `new:${which}`;
  const kind = document.get(key)?.kind;
  if (object !== undefined && kind !== undefined && object.kind !== kind) return;
  document.change('Edit', [[key, object]]);
}

const stateOf = (document: AnnotationDocument): Record<string, EditedObject> => Object.fromEntries(document.entries());
const keysOf = (stored: readonly StoredObject[]): string[] => stored.map(({ id, object }) => keyOf(object.kind, id));

/** Saves everything as the server would. @returns what the server has then */
function save(document: AnnotationDocument, server: readonly StoredObject[], firstId: number): StoredObject[] {
  const { create, update, delete: deleted } = document.unsaved();
  let next = firstId;
  const created = create.map((one) => ({ ...one, id: next++ }));
  const gone = new Set(deleted.map(({ id }) => id));
  const updated = new Map(update.map(({ id, object }) => [id, object]));
  document.markDeleted(deleted.map(({ key }) => key));
  document.markSaved([...created, ...update].map((one) => ({ ...one, id: one.id ?? 0, sent: one.object })));
  return [
    ...server.filter(({ id }) => !gone.has(id)).map(({ id, object }) => ({ id, object: updated.get(id) ?? object })),
    ...created.map(({ id, object }) => ({ id, object })),
  ];
}

describe('a document of annotations', () => {
  it('undoes and redoes changes that were made together in one step', () => {
    fc.assert(
      fc.property(anyStored, fc.array(anyEdit, { maxLength: 8 }), (stored, edits) => {
        const document = new AnnotationDocument(stored);
        const keys = keysOf(stored);
        const before = stateOf(document);
        const changed = document.together(() => edits.forEach((one) => edit(document, keys, one)));
        const after = stateOf(document);
        if (changed) document.undo();
        expect(stateOf(document)).toEqual(before);
        expect(document.next.undo).toBeUndefined();
        if (changed) document.redo();
        expect(stateOf(document)).toEqual(after);
      }),
    );
  });

  it('is restored by undoing every operation, and repeated by redoing it, whether or not it was saved between', () => {
    fc.assert(
      fc.property(
        anyStored,
        fc.array(fc.oneof(anyEdit, fc.constant('save' as const)), { maxLength: 20 }),
        (stored, steps) => {
          const document = new AnnotationDocument(stored);
          const before = stateOf(document);
          let server: StoredObject[] = stored;
          for (const [at, step] of steps.entries()) {
            if (step === 'save') server = save(document, server, 100 + at * 10);
            else edit(document, keysOf(stored), step);
          }
          const after = stateOf(document);
          while (document.undo() !== undefined);
          expect(stateOf(document)).toEqual(before);
          while (document.redo() !== undefined);
          expect(stateOf(document)).toEqual(after);
        },
      ),
    );
  });

  it('saves exactly what makes the server have the same annotations', () => {
    fc.assert(
      fc.property(
        anyStored,
        fc.array(fc.oneof(anyEdit, fc.constantFrom('save' as const, 'undo' as const, 'redo' as const)), {
          maxLength: 20,
        }),
        (stored, steps) => {
          const document = new AnnotationDocument(stored);
          let server: StoredObject[] = stored;
          for (const [at, step] of steps.entries()) {
            if (step === 'save') server = save(document, server, 100 + at * 10);
            else if (step === 'undo') document.undo();
            else if (step === 'redo') document.redo();
            else edit(document, keysOf(stored), step);
          }
          server = save(document, server, 1000);
          expect(document.hasUnsaved).toBe(false);
          const byId = new Map(server.map(({ id, object }) => [id, object]));
          expect(byId.size).toBe(document.size);
          for (const [key, object] of document.entries()) expect(byId.get(document.idOf(key) ?? 0)).toEqual(object);
        },
      ),
    );
  });

  it('merges edits of different annotations to the same result in either order', () => {
    fc.assert(
      fc.property(anyStored, fc.array(anyEdit), fc.array(anyEdit), (stored, mine, theirs) => {
        const mineFirst = stored.slice(0, 3);
        const keys = { mine: keysOf(mineFirst), theirs: keysOf(stored.slice(3)) };
        const [me, they] = [new AnnotationDocument(stored), new AnnotationDocument(stored)];
        for (const one of mine) edit(me, keys.mine, { ...one, which: one.which % 3 });
        for (const one of theirs) edit(they, keys.theirs, { ...one, which: one.which % 3 });
        const [savedByMe, savedByThem] = [save(me, stored, 100), save(they, stored, 200)];
        const again = new AnnotationDocument(stored);
        for (const one of mine) edit(again, keys.mine, { ...one, which: one.which % 3 });
        expect(again.merge(savedByThem)).toEqual([]);
        const other = new AnnotationDocument(stored);
        for (const one of theirs) edit(other, keys.theirs, { ...one, which: one.which % 3 });
        expect(other.merge(savedByMe)).toEqual([]);
        const contents = (document: AnnotationDocument): string[] =>
          Array.from(document.entries(), ([, object]) => JSON.stringify(object)).sort();
        expect(contents(again)).toEqual(contents(other));
      }),
    );
  });

  it('reports what two users changed differently, and overwrites nothing until it is settled', () => {
    const stored: StoredObject[] = [1, 2, 3].map((id) => ({
      id,
      object: { kind: 'shape', value: shape(0, [0, 0, id, id]) },
    }));
    const moved = (to: number): EditedObject => ({ kind: 'shape', value: shape(0, [to, to, 9, 9]) });
    const document = new AnnotationDocument(stored);
    document.change('Move', [['shape:1', moved(4)]]);
    document.change('Move', [['shape:2', moved(5)]]);
    const conflicts = document.merge([
      { id: 1, object: moved(7) },
      { id: 3, object: moved(8) },
    ]);
    expect(conflicts).toEqual([
      { key: 'shape:1', mine: moved(4), theirs: moved(7) },
      { key: 'shape:2', mine: moved(5), theirs: undefined },
    ]);
    expect(document.get('shape:3')).toEqual(moved(8));
    for (const [at, keep] of (['theirs', 'mine'] as const).entries()) {
      for (const conflict of conflicts.slice(at, at + 1)) document.settle(conflict, keep);
    }
    expect(document.get('shape:1')).toEqual(moved(7));
    const { create, update, delete: deleted } = document.unsaved();
    expect([create, update, deleted].map((list) => list.map(({ key }) => key))).toEqual([['shape:2'], [], []]);
  });

  it('saves no conflict before it is settled, also after the page was closed, whatever both have changed', () => {
    fc.assert(
      fc.property(
        anyStored,
        fc.array(anyEdit),
        fc.array(anyEdit),
        fc.boolean(),
        fc.boolean(),
        (stored, mine, theirs, isClosed, keepsMine) => {
          const keys = keysOf(stored);
          const keepsKind = ({ which, object }: Edit): boolean =>
            object === undefined || (keys[which] ?? object.kind).startsWith(object.kind);
          const they = new AnnotationDocument(stored);
          for (const one of theirs.filter(keepsKind)) edit(they, keys, one);
          const server = save(they, stored, 100);
          let me = new AnnotationDocument(stored);
          for (const one of mine.filter(keepsKind)) edit(me, keys, one);
          const found = me.merge(server);
          expect(me.merge(server)).toEqual([]);
          if (isClosed) {
            const next = new AnnotationDocument(server);
            next.restore(me.unsavedForStorage());
            me = next;
          }
          const contents = ({ mine: a, theirs: b }: Conflict): string => JSON.stringify([a ?? null, b ?? null]);
          expect(me.conflicts.map(contents).sort()).toEqual(found.map(contents).sort());
          const saved = new Map(save(me, server, 200).map(({ id, object }) => [id, object]));
          for (const { key, theirs: untouched } of me.conflicts) {
            const id = me.idOf(key);
            expect(id === undefined ? undefined : saved.get(id)).toEqual(untouched);
          }
          const conflicts = me.conflicts;
          for (const conflict of conflicts) me.settle(conflict, keepsMine ? 'mine' : 'theirs');
          expect(me.conflicts).toEqual([]);
          expect(me.hasUnsaved).toBe(keepsMine && conflicts.length > 0);
          for (const conflict of conflicts)
            expect(me.get(conflict.key)).toEqual(keepsMine ? conflict.mine : conflict.theirs);
        },
      ),
    );
  });

  it('does not overwrite an object that is being edited when others change it', () => {
    const object = (to: number): EditedObject => ({ kind: 'shape', value: shape(0, [0, 0, to, to]) });
    const document = new AnnotationDocument([{ id: 1, object: object(1) }]);
    const conflict = { key: 'shape:1', mine: object(1), theirs: object(2) };
    expect(document.merge([{ id: 1, object: object(2) }], 'shape:1')).toEqual([conflict]);
    document.change('Move', [['shape:1', object(3)]]);
    expect(document.conflicts).toEqual([{ ...conflict, mine: object(3) }]);
    document.change('Move', [['shape:1', object(2)]]);
    expect([document.conflicts, document.hasUnsaved]).toEqual([[], false]);
  });

  it('shows what others have changed after an edit that was cancelled, and keeps a conflict after one that was not', () => {
    const object = (to: number): EditedObject => ({ kind: 'shape', value: shape(0, [0, 0, to, to]) });
    const document = new AnnotationDocument([{ id: 1, object: object(1) }]);
    expect(document.release('shape:1')).toBe(false);
    document.merge([{ id: 1, object: object(2) }], 'shape:1');
    expect(document.release('shape:1')).toBe(true);
    expect([document.get('shape:1'), document.conflicts, document.hasUnsaved]).toEqual([object(2), [], false]);
    document.merge([], 'shape:1');
    document.change('Redraw', [['shape:1', object(4)]]);
    expect(document.release('shape:1')).toBe(false);
    expect(document.conflicts).toEqual([{ key: 'shape:1', mine: object(4), theirs: undefined }]);
  });

  it('restores unsaved changes on what the server has now, and reports what others have changed', () => {
    const stored: StoredObject[] = [1, 2, 3].map((id) => ({
      id,
      object: { kind: 'shape', value: shape(0, [0, 0, id, id]) },
    }));
    const moved = (to: number): EditedObject => ({ kind: 'shape', value: shape(0, [to, to, 9, 9]) });
    const before = new AnnotationDocument(stored);
    before.change('Edit', [
      ['shape:1', moved(4)],
      ['shape:2', undefined],
      ['shape:3', moved(5)],
      ['shape:new', moved(6)],
    ]);
    const now = new AnnotationDocument([
      ...stored.slice(0, 2),
      { id: 3, object: moved(8) },
      { id: 4, object: moved(7) },
    ]);
    const untouched = stateOf(now);
    expect(now.restore(before.unsavedForStorage())).toEqual([{ key: 'shape:3', mine: moved(5), theirs: moved(8) }]);
    expect(stateOf(now)).toEqual({
      'shape:1': moved(4),
      'shape:3': moved(5),
      'shape:4': moved(7),
      'shape:new': moved(6),
    });
    now.undo();
    expect(stateOf(now)).toEqual(untouched);
  });

  it('stores what is still being drawn with the unsaved changes', () => {
    const document = new AnnotationDocument([{ id: 1, object: { kind: 'shape', value: shape(0, [0, 0, 1, 1]) } }]);
    const draft = { kind: 'shape', value: shape(0, [2, 2, 3, 3]) } as const;
    expect(document.unsavedForStorage(['shape:new', draft])).toEqual([
      { key: 'shape:new', id: null, base: undefined, object: draft },
    ]);
    const [stored] = document.unsavedForStorage(['shape:1', draft]);
    expect(stored).toEqual({ key: 'shape:1', id: 1, base: document.get('shape:1'), object: draft });
    expect(document.unsavedForStorage()).toEqual([]);
  });

  it('does not undo changes of annotations that others have changed since', () => {
    const document = new AnnotationDocument([{ id: 1, object: { kind: 'shape', value: shape(0, [0, 0, 1, 1]) } }]);
    document.change('Move', [['shape:1', { kind: 'shape', value: shape(0, [2, 2, 3, 3]) }]]);
    save(document, [], 2);
    document.merge([{ id: 1, object: { kind: 'shape', value: shape(0, [5, 5, 6, 6]) } }]);
    expect(document.undo()).toBeUndefined();
    expect(document.get('shape:1')).toEqual({ kind: 'shape', value: shape(0, [5, 5, 6, 6]) });
  });

  it('lists the annotations of a frame', () => {
    const document = new AnnotationDocument(
      storedObjects({
        version: 0,
        tags: [{ ...tag(2), id: 5 }],
        shapes: [
          { ...shape(2, [0, 0, 1, 1]), id: 6 },
          { ...shape(3, [0, 0, 1, 1]), id: 7 },
        ],
        tracks: [{ ...trackFrom(shape(1, [0, 0, 1, 1])), id: 8 }],
        intervals: [],
      }),
    );
    expect(Array.from(document.at(2), ([key]) => key)).toEqual(['tag:5', 'shape:6', 'track:8']);
    document.change('Delete', [['shape:6', undefined]]);
    expect(Array.from(document.at(2), ([key]) => key)).toEqual(['tag:5', 'track:8']);
    expect(document.annotatedFrames()).toEqual(new Set([1, 2, 3]));
    document.undo();
    expect(Array.from(document.at(2), ([key]) => key)).toEqual(['tag:5', 'shape:6', 'track:8']);
  });

  it('refuses an operation for another state', () => {
    const document = new AnnotationDocument();
    const change: Change = { key: 'a', before: { kind: 'tag', value: tag(0) }, after: undefined };
    expect(() => document.apply({ title: 'Delete', changes: [change] })).toThrow('another state');
  });
});
