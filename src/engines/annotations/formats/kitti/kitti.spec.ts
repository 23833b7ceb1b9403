import { describe, expect, it } from '@jest/globals';
import { encode } from 'fast-png';
import fc from 'fast-check';
import {
  datasetOf,
  exported,
  imported,
  MemoryFiles,
  plainLabel,
  pointsOf,
  shapeOf,
  testTarget,
  testTask,
} from '../../../../../test/support/datasets.js';
import { kittiExport } from './export.js';
import { kittiImport } from './import.js';

const png = (...values: number[]): Uint8Array => {
  const data = new Uint16Array(64 * 48);
  data.set(values);
  return encode({ width: 64, height: 48, channels: 1, depth: 16, data });
};
const target = { ...testTarget, masksToPolygons: false };
const BOXES = 'default/label_2/a.txt';
const LINE = 'car 0.5 1 -1 1.0 2.0 3.0 4.0 -1 -1 -1 -1 -1 -1 -1 0.25';
const read = (text: string | Uint8Array) => imported(kittiImport, MemoryFiles.of({ [BOXES]: text }), target);

describe('KITTI', () => {
  it('round-trips rectangles', async () => {
    const box = fc.record({ points: pointsOf.rectangle, occluded: fc.boolean(), frame: fc.nat(5) });
    await fc.assert(
      fc.asyncProperty(fc.array(box, { maxLength: 6 }), async (boxes) => {
        const sorted = boxes.toSorted((a, b) => a.frame - b.frame);
        const shapes = sorted.map(({ points, ...more }) => shapeOf('rectangle', points, { ...more, source: 'file' }));
        const data = await imported(kittiImport, await exported(kittiExport, { shapes }), target);
        expect(data.shapes).toEqual(shapes);
      }),
      { numRuns: 40 },
    );
  });

  it('writes boxes, and everything else with an area as masks', async () => {
    const shapes = [
      shapeOf('rectangle', [1, 2, 3.5, 4], { occluded: true }),
      shapeOf('rectangle', [10, 10, 20, 20], { rotation: 45, label_id: 1 }),
    ];
    const files = await exported(kittiExport, { shapes });
    expect(files.paths).toEqual([
      'label_colors.txt',
      BOXES,
      ...['semantic_rgb', 'semantic', 'instance'].map((kind) => `default/${kind}/a.png`),
    ]);
    expect(files.text(BOXES)).toBe('person & "friend" 0.0 1 -1 1.0 2.0 3.5 4.0 -1 -1 -1 -1 -1 -1 -1 1.0\n');
    files.files.delete(BOXES);
    const { shapes: masks } = await imported(kittiImport, files, target);
    expect(masks).toMatchObject([{ type: 'mask', label_id: 1 }]);
  });

  it('reads truncated and score as attributes, and keeps numbers of number attributes', async () => {
    const attribute = { mutable: false, defaultValue: '', values: [] };
    const [one, two] = ['number', 'checkbox'].map((inputType) => ({
      ...attribute,
      id: 30,
      name: 'truncated',
      inputType,
    }));
    const score = { ...attribute, id: 31, name: 'score', inputType: 'text' };
    for (const [truncated, value] of [
      [one, '0.5'],
      [two, 'true'],
    ] as const) {
      const labels = [{ ...plainLabel(1, 'car'), attributes: truncated === undefined ? [] : [truncated, score] }];
      const files = MemoryFiles.of({ [BOXES]: `${LINE}\n` });
      const { shapes } = await imported(kittiImport, files, { ...target, labels });
      expect(shapes).toMatchObject([
        { occluded: true, points: [1, 2, 3, 4], attributes: [{ value }, { value: '0.25' }] },
      ]);
      const back = await exported(kittiExport, { shapes }, { ...datasetOf(testTask), labels });
      expect(back.text(BOXES)).toBe(`${LINE.replace('0.5', truncated === one ? '0.5' : '1.0')}\n`);
    }
    expect(await kittiImport.labels?.(MemoryFiles.of({ [BOXES]: LINE }))).toMatchObject([
      {
        name: 'car',
        attributes: [
          { name: 'truncated', input_type: 'checkbox' },
          { name: 'score', input_type: 'text' },
        ],
      },
    ]);
  });

  it('reads lines without a score, and labels with spaces', async () => {
    const labels = [plainLabel(1, 'car'), plainLabel(2, 'car 2')];
    const text = `${LINE.slice(0, -' 0.25'.length)}\n${LINE.replace('car', 'car 2')}\n`;
    const { shapes } = await imported(kittiImport, MemoryFiles.of({ [BOXES]: text }), { ...target, labels });
    expect(shapes.map(({ label_id }) => label_id)).toEqual([1, 2]);
  });

  it('reads masks of all subsets, in a folder too, unless there are boxes', async () => {
    const masks = { 'x/Train/instance/a.png': png(256), 'x/val/instance/b.png': png(0, 257) };
    const files = MemoryFiles.of({ ...masks, 'x/label_colors.txt': '0 0 0 background\n9 9 9 car' });
    const { shapes } = await imported(kittiImport, files, target);
    expect(shapes.map(({ frame, points }) => [frame, points])).toEqual([[0, [0, 1, 0, 0, 0, 0]], [1, [0, 1, 1, 0, 1, 0]]]); // prettier-ignore
    expect((await imported(kittiImport, files, { ...target, subset: 'val' })).shapes).toHaveLength(1);
    expect((await kittiImport.labels?.(files))?.map(({ name }) => name)).toEqual(['car']);
    files.files.set('x/val/label_2/a.txt', Buffer.from(LINE));
    expect((await imported(kittiImport, files, target)).shapes).toMatchObject([{ type: 'rectangle' }]);
    expect(kittiImport.imageAt('x/val/image_2/instance/a.png')).toMatchObject({
      subset: 'val',
      name: 'instance/a.png',
    });
    expect(kittiImport.imageAt('x/val/instance/image_2/a.png')).toBeUndefined();
  });

  it.each([
    [`${LINE}\ncar 1 2`, `${BOXES}, line 2: 'car 1 2' is not a label with 14 or 15 numbers`],
    [
      LINE.replace('2.0', 'NaN'),
      `${BOXES}, line 1: '${LINE.replace('2.0', 'NaN')}' is not a label with 14 or 15 numbers`,
    ],
    [
      LINE.replace('2.0', '1e999'),
      `${BOXES}, line 1: '${LINE.replace('2.0', '1e999')}' is not a label with 14 or 15 numbers`,
    ],
    [
      LINE.replace('2.0', '1e200'),
      `${BOXES}, line 1: a rectangle has a coordinate that is beyond what annotations may have`,
    ],
    [LINE.replace('car', 'tree'), `${BOXES}, line 1: there is no label 'tree' to import it to`],
    [Buffer.from([0xff]), `${BOXES}: the text is not UTF-8`],
  ])('reports the fault in %j', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it.each([
    [{ 'a/instance/a.png': png(9000) }, 'a/instance/a.png: the value 9000 has no label in the list of labels'],
    [{ 'a/instance/a.png': png(900).subarray(0, 70) }, 'a/instance/a.png: the image is damaged'],
    [
      { 'a/label_2/../../b/zz.txt': LINE },
      "cvat.apps.dataset_manager.bindings.CvatImportError: Could not match item id: '../../b/zz' with any task frame",
    ],
    [
      { 'notes/readme.md': '' },
      'Failed to find dataset. Dataset must contain a folder "label_2", "instance" or "image_2".',
    ],
  ])('rejects the archive %j', async (files, message) => {
    const outcome = imported(kittiImport, MemoryFiles.of(files), target);
    await expect(outcome).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('rejects more labels than it can number', async () => {
    const labels = Array.from({ length: 300 }, (_, at) => plainLabel(at + 1, `l${at + 100}`));
    const shapes = [shapeOf('polygon', [0, 0, 5, 0, 5, 5], { label_id: 300 })];
    const outcome = exported(kittiExport, { shapes }, { ...datasetOf(testTask), labels });
    await expect(outcome).rejects.toThrow("KITTI has only 256 labels, and cannot express 'l399'");
  });
});
