import { AnnotationDocument } from '#shared/annotations/editing/document';
import { Editor } from '../editing/editor';
import { isTrackable, storeTracked } from './tracked-object';

const LABEL = { id: 1, name: 'cat', color: '#ff0000', type: 'any', attributes: [], sublabels: [] } as never;
const at = (frame: number, x: number) => ({ frame, outline: { type: 'rectangle', points: [x, 0, x + 10.123, 10] } });

function editorWith(isTrack: boolean): { readonly editor: Editor; readonly key: string } {
  const editor = new Editor(new AnnotationDocument(), [LABEL]);
  return { editor, key: editor.draw({ type: 'rectangle', points: [0, 0, 10, 10], frame: 0, labelId: 1, isTrack }) };
}

describe('storeTracked', () => {
  it('makes a track of a shape, which undo takes back in one step', () => {
    const { editor, key } = editorWith(false);
    const [track = ''] = storeTracked(editor, [{ key, steps: [at(1, 5), at(3, 8)] }]);
    const stored = editor.document.get(track);
    expect(stored).toMatchObject({ kind: 'track', value: { source: 'semi-auto', frame: 0 } });
    expect(stored?.kind === 'track' && stored.value.shapes.map(({ frame, points }) => [frame, points])).toEqual([
      [0, [0, 0, 10, 10]],
      [1, [5, 0, 15.12, 10]],
      [3, [8, 0, 18.12, 10]],
    ]);
    expect(editor.document.get(key)).toBeUndefined();
    editor.undo();
    expect([editor.document.get(track), editor.document.get(key)?.kind]).toEqual([undefined, 'shape']);
  });

  it('replaces keyframes of a track, and hides it where it is lost', () => {
    const { editor, key } = editorWith(true);
    editor.changeShape('Move', key, 1, { points: [90, 90, 99, 99] });
    editor.changeShape('Move', key, 5, { points: [50, 50, 60, 60] });
    expect(storeTracked(editor, [{ key, steps: [at(1, 5), { frame: 2, outline: null }] }])).toEqual([key]);
    expect(editor.shapeAt(key, 1)?.points).toEqual([5, 0, 15.12, 10]);
    expect([1, 2, 5].map((frame) => editor.shapeAt(key, frame)?.outside)).toEqual([false, true, false]);
    expect(editor.shapeAt(key, 5)?.points).toEqual([50, 50, 60, 60]);
  });

  it('takes the box of other types for rectangles, and leaves out what was not found', () => {
    const { editor, key } = editorWith(false);
    expect(storeTracked(editor, [{ key, steps: [] }])).toEqual([]);
    const outline = { type: 'polygon', points: [1, 2, 9, 3, 5, 8] };
    const [track = ''] = storeTracked(editor, [{ key, steps: [{ frame: 1, outline }] }]);
    expect(editor.shapeAt(track, 1)?.points).toEqual([1, 2, 9, 8]);
  });
});

describe('isTrackable', () => {
  it('is what the function supports, except masks and skeletons', () => {
    const types = ['rectangle', 'mask', 'skeleton'];
    expect(['rectangle', 'polygon', 'mask', 'skeleton'].map((type) => isTrackable({ type }, types))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
