import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  datasetOf,
  exported,
  imported,
  MemoryFiles,
  pixelMaskPoints,
  plainLabel,
  pointsOf,
  shapeOf,
  testTarget,
  testTask,
} from '../../../../../test/support/datasets.js';
import type { LabeledData, Shape } from '../../../../shared/annotations/model.js';
import { decodeBmp, encodeBmp } from '../items/bmp.js';
import { localizationExport, localizationImport } from './localization.js';
import { recognitionExport, recognitionImport } from './recognition.js';
import { segmentationExport, segmentationImport } from './segmentation.js';

const attributes = ['text', 'index', 'color', 'center'].map((name, at) => ({
  id: 20 + at,
  name,
  mutable: false,
  inputType: name === 'index' ? 'number' : 'text',
  defaultValue: '',
  values: [],
}));
const [text] = attributes;
const labels = [{ ...plainLabel(1, 'icdar'), attributes: text === undefined ? [] : [text] }];
const characters = [{ ...plainLabel(1, 'icdar'), attributes }];
const dataset = { ...datasetOf(testTask), labels };
const target = { ...testTarget, labels, masksToPolygons: false };
const withText = (value: string) => ({ label_id: 1, source: 'file', attributes: [{ spec_id: 20, value }] });

/** Texts of any characters that values may have, except those that end a line. */
const texts = fc.string({ unit: 'binary' }).filter((value) => !/[\0\r\n]/.test(value));

describe('ICDAR Recognition', () => {
  const tagsOf = (values: readonly string[]): LabeledData['tags'] =>
    values.map((value, frame) => ({ id: null, frame, group: 0, ...withText(value) }));

  it('round-trips a text for each image', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { maxLength: 6 }), async (values) => {
        const files = await exported(recognitionExport, { tags: tagsOf(values) }, dataset);
        expect((await imported(recognitionImport, files, target)).tags).toEqual(tagsOf(values));
      }),
      { numRuns: 60 },
    );
  });

  it('writes the texts of everything on an image', async () => {
    const shapes = [shapeOf('points', [1, 1], { frame: 1, ...withText('a, "b"') })];
    const files = await exported(recognitionExport, { tags: tagsOf(['c', 'd']), shapes }, dataset);
    expect(files.text('default/gt.txt').split('\n').slice(0, 3)).toEqual([
      'a.jpg, "c"',
      'b.jpg, "d""a, "b""',
      'sub/c.jpg, ',
    ]);
    expect(await recognitionImport.labels?.(files)).toMatchObject([{ name: 'icdar', attributes: [{ name: 'text' }] }]);
  });

  it('reads a subset, also in a folder, and skips what is not in quotes', async () => {
    const files = MemoryFiles.of({
      'x/val/gt.txt': 'a.jpg, "A \\"B\\""\nb.jpg, none\nc.jpg',
      'x/train/gt.txt': 'b.jpg, "c"',
    });
    const { tags } = await imported(recognitionImport, files, { ...target, subset: 'val' });
    expect(tags).toMatchObject([{ frame: 0, attributes: [{ value: 'A "B"' }] }]);
    expect(recognitionImport.imageAt('x/val/images/a/b.png')).toEqual({ subset: 'val', name: 'a/b.png' });
  });

  it.each([
    [{ 'gt.txt': 'a.jpg, "A"\nb.jpg, "B' }, "gt.txt, line 2: the text of 'b.jpg' has no closing quote"],
    [{ 'gt.txt': Buffer.from([0x41, 0xff]) }, 'gt.txt: the text is not UTF-8'],
    [
      { 'gt.txt': '../../zz.jpg, "A"' },
      "cvat.apps.dataset_manager.bindings.CvatImportError: Could not match item id: '../../zz' with any task frame",
    ],
    [{ 'notes/readme.md': '' }, 'Failed to find dataset. Dataset must contain a file: "*.txt"'],
  ])('reports the fault in %j', async (files, message) => {
    const outcome = imported(recognitionImport, MemoryFiles.of(files), target);
    await expect(outcome).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('rejects texts that are too long', async () => {
    const files = MemoryFiles.of({ 'gt.txt': `a.jpg, "${'A'.repeat(5000)}"` });
    const outcome = imported(recognitionImport, files, target);
    await expect(outcome).rejects.toThrow("gt.txt, line 1: the value of attribute 'text' is longer than 4096");
  });

  it('needs the label only for texts', async () => {
    expect((await imported(recognitionImport, MemoryFiles.of({ 'a/gt.txt': 'a.jpg, ' }))).tags).toEqual([]);
    const outcome = imported(recognitionImport, MemoryFiles.of({ 'a/gt.txt': 'a.jpg, "A"' }));
    await expect(outcome).rejects.toThrow("a/gt.txt, line 1: there is no label 'icdar' to import it to");
  });
});

describe('ICDAR Localization', () => {
  const read = (line: string | Uint8Array) =>
    imported(localizationImport, MemoryFiles.of({ 'gt_a.txt': line }), target);

  it('round-trips rectangles and polygons with their texts', async () => {
    const shape = fc
      .constantFrom('rectangle' as const, 'polygon' as const)
      .chain((type) =>
        fc
          .record({ points: pointsOf[type], value: texts })
          .map(({ points, value }) => shapeOf(type, points, withText(value))),
      );
    await fc.assert(
      fc.asyncProperty(fc.array(shape, { maxLength: 6 }), async (shapes) => {
        const { shapes: back } = await imported(
          localizationImport,
          await exported(localizationExport, { shapes }, dataset),
          target,
        );
        expect(back).toEqual(shapes);
      }),
      { numRuns: 60 },
    );
  });

  it('writes a file for each image, with empty lines for other annotations', async () => {
    const shapes = [
      shapeOf('polyline', [1, 1, 2, 2], { frame: 2 }),
      shapeOf('rectangle', [1, 2, 3, 4.5], { frame: 2, label_id: 2 }),
    ];
    const files = await exported(localizationExport, { shapes });
    expect(files.paths).toContain('default/gt_a.txt');
    expect(files.text('default/sub/gt_c.txt')).toBe('\n1.0 2.0 3.0 4.5\n');
  });

  it.each<[string, Partial<Shape>['points'], string | undefined]>([
    [
      '\uFEFF377,117,463,117,465,130,378,130,Genaxis Theatre',
      [377, 117, 463, 117, 465, 130, 378, 130],
      'Genaxis Theatre',
    ],
    ['1,1,9,1,9,9,1,9,12', [1, 1, 9, 1, 9, 9, 1, 9], '12'],
    ['1,1,9,1,9,9,1,9,12, Main St', [1, 1, 9, 1, 9, 9, 1, 9], '12,Main St'],
    ['38, 43, 92, 215, "Tiredness"', [38, 43, 92, 215], 'Tiredness'],
    ['38 43 92 215 a b', [38, 43, 92, 215], 'a b'],
    ['38 43 92 215', [38, 43, 92, 215], undefined],
    ['2.0,2.0,18.0,2.0,10.0,14.0', [2, 2, 18, 2, 10, 14], undefined],
  ])('reads the line %j', async (line, points, value) => {
    const { shapes } = await read(line);
    expect(shapes).toMatchObject([{ type: points?.length === 4 ? 'rectangle' : 'polygon', points }]);
    expect(shapes[0]?.attributes[0]?.value).toBe(value);
  });

  it('reads subsets, and archives in a folder', async () => {
    const files = MemoryFiles.of({
      'x/val/images/a.jpg': '',
      'x/val/gt_a.txt': '1 2 3 4',
      'x/train/sub/gt_c.txt': '1 2 3 4 "t"',
    });
    const { shapes } = await imported(localizationImport, files, target);
    expect(shapes.map(({ frame }) => frame)).toEqual([0, 2]);
    expect((await imported(localizationImport, files, { ...target, subset: 'val' })).shapes).toHaveLength(1);
    expect(await localizationImport.labels?.(files)).toMatchObject([{ name: 'icdar', attributes: [{ name: 'text' }] }]);
    expect((await imported(localizationImport, MemoryFiles.of({ 'notes/readme.md': '' }), target)).shapes).toEqual([]);
  });

  it.each([
    ['1 2 3 4\n1 2 3 4 "a', `gt_a.txt, line 2: unexpected number of quotes in '1 2 3 4 "a'`],
    ['1 2 3', "gt_a.txt, line 1: '1 2 3' is not a rectangle or polygon with a text"],
    ['1 2 NaN 4 "a"', `gt_a.txt, line 1: '1 2 NaN 4 "a"' is not a rectangle or polygon with a text`],
    ['1 2 3 1e200', 'gt_a.txt, line 1: a rectangle has a coordinate that is beyond what annotations may have'],
    [Buffer.from([0xff]), 'gt_a.txt: the text is not UTF-8'],
  ])('reports the fault in %j', async (line, message) => {
    await expect(read(line)).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('rejects unknown images and labels', async () => {
    const outside = imported(localizationImport, MemoryFiles.of({ 'a/../../gt_zz.txt': '1 2 3 4' }), target);
    await expect(outside).rejects.toThrow("Could not match item id: 'zz'");
    const unknown = imported(localizationImport, MemoryFiles.of({ 'gt_a.txt': '1 2 3 4' }));
    await expect(unknown).rejects.toThrow("gt_a.txt, line 1: there is no label 'icdar' to import it to");
  });
});

describe('ICDAR Segmentation', () => {
  const into = { ...target, labels: characters };
  const from = { ...dataset, labels: characters };
  const bmp = (...pixels: number[][]): Uint8Array => {
    const data = new Uint8Array(64 * 48 * 3).fill(255);
    data.set(pixels.flat());
    return encodeBmp({ width: 64, height: 48, channels: 3, data });
  };
  const archive = (list: string, image: Uint8Array = bmp([1, 2, 3])) =>
    MemoryFiles.of({ 'a_GT.txt': list, 'a_GT.bmp': image });
  const LINE = '1 2 3 - - 0 0 1 1 "A"';

  it('round-trips masks with their attributes', async () => {
    const mask = fc.record({ points: pixelMaskPoints, value: texts });
    await fc.assert(
      fc.asyncProperty(fc.array(mask, { minLength: 1, maxLength: 4 }), async (masks) => {
        const shapes = masks.map(({ points, value }, at) =>
          shapeOf('mask', points, {
            ...withText(value),
            attributes: ['text', 'index', 'color', 'center'].map((_, each) => ({
              spec_id: 20 + each,
              value: [value, String(at), `${at} 7 9`, '5 6'][each] ?? '',
            })),
          }),
        );
        const first = await exported(segmentationExport, { shapes }, from);
        const data = await imported(segmentationImport, first, into);
        // Characters without empty lines between them come back as a group, which exports unite.
        for (const shape of data.shapes) shape.group = 0;
        const again = await exported(segmentationExport, data, from);
        expect(again.files.get('default/a_GT.bmp')).toEqual(first.files.get('default/a_GT.bmp'));
        const isVisible = masks.length === again.text('default/a_GT.txt').split('\n').length - 1;
        if (isVisible) expect(textsIn(again)).toEqual(textsIn(first));
      }),
      { numRuns: 40 },
    );
  });
  const textsIn = (files: MemoryFiles): string[] =>
    Array.from(files.text('default/a_GT.txt').matchAll(/"(.*)"$/gm), ([, value = '']) => value);

  it('gives characters without a colour, or with one that is taken, a free one', async () => {
    const shapes = ['128 0 0', '', '128 0 0', '255 255 255', '1 2 999'].map((color, at) =>
      shapeOf('rectangle', [at * 5, 0, at * 5 + 4, 4], { label_id: 1, attributes: [{ spec_id: 22, value: color }] }),
    );
    const files = await exported(
      segmentationExport,
      { shapes },
      { ...from, labels: characters.map((label) => ({ ...label, attributes: attributes.slice(2) })) },
    );
    const colors = files
      .text('default/a_GT.txt')
      .trim()
      .split('\n')
      .map((line) => line.split(' - - ')[0]);
    expect(colors).toEqual(['128 0 0', '0 128 0', '128 128 0', '0 0 128', '128 0 128']);
  });

  it('unites groups, and separates them by empty lines', async () => {
    const [one, two] = [
      { ...withText('A'), group: 1 },
      { ...withText(' '), group: 2 },
    ];
    const shapes = [
      shapeOf('rectangle', [0, 0, 4, 4], one),
      shapeOf('rectangle', [6, 0, 9, 4], one),
      shapeOf('rectangle', [20, 0, 24, 4], two),
    ];
    const files = await exported(segmentationExport, { shapes }, { ...from, labels });
    expect(files.text('default/a_GT.txt')).toBe(
      '128 0 0 - - 0.0 0.0 9.0 4.0 "A"\n\n#0 128 0 - - 20.0 0.0 24.0 4.0 " "\n',
    );
    const back = await imported(segmentationImport, files, into);
    expect(back.shapes.map(({ group, attributes: [value] }) => [group, value?.value])).toEqual([[0, '0'], [0, '1']]); // prettier-ignore
  });

  it('reads groups, and pixels that others cover', async () => {
    const list = `${LINE}\n4 5 6 7 8 0 0 1 1 "b c"\n\n7 8 9 - - 0 0 1 1 "D"`;
    const { shapes } = await imported(segmentationImport, archive(list, bmp([1, 2, 3], [4, 5, 6])), into);
    expect(shapes.map(({ group, points }) => [group, points])).toEqual([[1, [0, 1, 0, 0, 0, 0]], [1, [0, 1, 1, 0, 1, 0]]]); // prettier-ignore
    expect(shapes[1]?.attributes.map(({ value }) => value)).toEqual(['1', '4 5 6', 'b c', '7 8']);
    const found = await segmentationImport.labels?.(archive(list));
    expect(found?.[0]?.attributes?.map(({ name }) => name)).toEqual(['index', 'color', 'text', 'center']);
  });

  it.each([
    [
      archive(`${LINE}\n1 2 "b"`),
      `a_GT.txt, line 2: the line contains the wrong number of arguments, e.g. '241 73 144 1 4 0 3 1 4 "h"'`,
    ],
    [archive(`${LINE}\n${LINE}`), 'a_GT.txt, line 2: the color (1, 2, 3) is listed twice'],
    [archive(LINE, bmp([1, 2, 4])), 'a_GT.bmp: Undeclared color (1, 2, 4)'],
    [archive(LINE, bmp([1, 2, 3]).subarray(0, 200)), 'a_GT.bmp: the image is damaged'],
    [archive(LINE, Buffer.from('text')), 'a_GT.bmp: the file is not a BMP'],
    [MemoryFiles.of({ 'a_GT.txt': LINE }), 'a_GT.txt: the image with its characters, a_GT.bmp, is missing'],
    [MemoryFiles.of({ 'a_GT.txt': Buffer.from([0xff]) }), 'a_GT.txt: the text is not UTF-8'],
  ])('reports a fault, case %#', async (files, message) => {
    await expect(imported(segmentationImport, files, into)).rejects.toMatchObject({ name: 'FormatError', message });
  });
});

describe('BMP', () => {
  it('round-trips pixels of any width', () => {
    const size = fc.record({ width: fc.integer({ min: 1, max: 9 }), height: fc.integer({ min: 1, max: 5 }) });
    fc.assert(
      fc.property(size, fc.infiniteStream(fc.nat(255)), ({ width, height }, stream) => {
        const data = Uint8Array.from({ length: width * height * 3 }, () => stream.next().value ?? 0);
        expect(decodeBmp(encodeBmp({ width, height, channels: 3, data }), 'a.bmp')).toEqual({
          width,
          height,
          channels: 3,
          data,
        });
      }),
    );
  });

  it('reads palettes and rows from the top', () => {
    const header = Buffer.alloc(54 + 8 + 8);
    header.write('BM');
    header.writeUInt32LE(62, 10);
    header.writeUInt32LE(40, 14);
    header.writeInt32LE(1, 18);
    header.writeInt32LE(-2, 22);
    header.writeUInt16LE(8, 28);
    header.set([3, 2, 1, 0, 6, 5, 4, 0], 54);
    header.set([1, 0, 0, 0, 0], 62);
    expect(Array.from(decodeBmp(header, 'a.bmp').data)).toEqual([4, 5, 6, 1, 2, 3]);
    header.writeUInt32LE(1, 30);
    expect(() => decodeBmp(header, 'a.bmp')).toThrow('a.bmp: the image is compressed or has unusual colours');
    header.writeInt32LE(2 ** 30, 18);
    expect(() => decodeBmp(header, 'a.bmp')).toThrow('is too large');
  });
});
