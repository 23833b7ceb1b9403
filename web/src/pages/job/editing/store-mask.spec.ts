import { AnnotationDocument } from '#shared/annotations/editing/document';
import type { Label } from '../../../app/api';
import { Editor } from './editor';
import { storeMask } from './store-mask';

const label = { id: 1, name: 'cat', color: '#ff0000', type: 'any', attributes: [], sublabels: [] } as unknown as Label;
const editorOf = (): Editor => new Editor(new AnnotationDocument(), [label]);
const WIDTH = 1000;
const HEIGHT = 520;
const target = {
  key: undefined,
  frame: 0,
  size: { width: WIDTH, height: HEIGHT },
  labelId: 1,
  removesUnderlying: false,
  convertsToPolygons: true,
  locked: new Set<string>(),
};
/** The points of a mask that fills a box: left, top, right, bottom. */
const filled = ([left = 0, top = 0, right = 0, bottom = 0]: number[]): number[] => [
  0,
  (right - left + 1) * (bottom - top + 1),
  left,
  top,
  right,
  bottom,
];
const typesIn = (editor: Editor): string[] => editor.index.at(0).map(({ type }) => type);

describe('storeMask', () => {
  it('converts a mask to polygons', () => {
    const editor = editorOf();
    const { keys, problem } = storeMask(editor, target, filled([10, 10, 19, 19]));
    expect([keys.length, problem, typesIn(editor)]).toEqual([1, undefined, ['polygon']]);
  });

  it('says why it stores a mask with too many regions as a mask', () => {
    const editor = editorOf();
    // A chessboard whose odd rows start with background.
    const rows = Array.from({ length: HEIGHT }, (_, y) => Array.from({ length: WIDTH }, (_unused, x) => (x + y) % 2));
    const runs: number[] = [];
    let last = 1;
    for (const pixel of rows.flat()) {
      if (pixel !== last || runs.length === 0) runs.push(0);
      last = pixel;
      runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1;
    }
    const { keys, problem } = storeMask(editor, target, [...runs, 0, 0, WIDTH - 1, HEIGHT - 1]);
    expect(problem).toBe('The mask has too many regions for polygons. It was stored as a mask.');
    expect([keys.length, typesIn(editor)]).toEqual([1, ['mask']]);
  });

  it('does not add a step to the history if the mask is the stored one', () => {
    const editor = editorOf();
    const plain = { ...target, convertsToPolygons: false };
    const points = filled([10, 10, 19, 19]);
    const [key] = storeMask(editor, plain, points).keys;
    storeMask(editor, { ...plain, key }, points);
    editor.undo();
    expect(typesIn(editor)).toEqual([]);
  });
});
