import { describe, expect, it } from '@jest/globals';
import { encode } from 'fast-png';
import fc from 'fast-check';
import {
  datasetOf,
  exported,
  imported,
  MemoryFiles,
  pixelMaskPoints,
  pixelsOf,
  plainLabel,
  shapeOf,
  testTarget,
  testTask,
} from '../../../../../test/support/datasets.js';
import { cityscapesExport } from './export.js';
import { cityscapesImport } from './import.js';

const png = (values: readonly number[], width = 64): Uint8Array => {
  const data = new Uint16Array(width * 48);
  data.set(values);
  return encode({ width, height: 48, channels: 1, depth: 16, data });
};
const target = { ...testTarget, masksToPolygons: false };
const IDS = 'gtFine/train/a_gtFine_instanceIds.png';
const archive = (files: Record<string, string | Uint8Array> = {}): MemoryFiles =>
  MemoryFiles.of({ 'label_colors.txt': '0 0 0 background\n32 128 192 car\n', [IDS]: png([1001, 1002]), ...files });

describe('Cityscapes', () => {
  it('round-trips masks of several objects', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pixelMaskPoints, { minLength: 1, maxLength: 4 }), fc.nat(5), async (masks, frame) => {
        const shapes = masks.map((points, at) =>
          shapeOf('mask', points, { label_id: 1 + (at % 2), frame, z_order: at }),
        );
        const first = await exported(cityscapesExport, { shapes });
        const data = await imported(cityscapesImport, first, target);
        const { files } = await exported(cityscapesExport, data);
        // Objects are numbered again, so only classes and the number of objects are the same.
        for (const [path, content] of files)
          if (!path.includes('instanceIds')) expect(content).toEqual(first.files.get(path));
        const twice = await imported(cityscapesImport, await exported(cityscapesExport, data), target);
        const form = (each: typeof data): string[] => each.shapes.map(({ points }) => points.join(' ')).toSorted();
        expect(form(twice)).toEqual(form(data));
      }),
      { numRuns: 30 },
    );
  });

  it('has objects of the background in the background, not in other labels', async () => {
    const labels = [plainLabel(1, 'background'), plainLabel(2, 'car')];
    const shapes = [1, 2].map((label_id) => shapeOf('mask', [0, 1, label_id, 0, label_id, 0], { label_id }));
    const files = await exported(cityscapesExport, { shapes }, { ...datasetOf(testTask), labels });
    const data = await imported(cityscapesImport, files, { ...target, labels });
    expect(new Set(data.shapes.map(({ label_id }) => label_id))).toEqual(new Set([1, 2]));
    expect(pixelsOf(data.shapes.find(({ label_id }) => label_id === 2)?.points ?? [])).toEqual(new Set(['2,0']));
  });

  it('numbers the objects of an image, except crowds', async () => {
    const crowd = {
      id: 20,
      name: 'is_crowd',
      mutable: false,
      inputType: 'checkbox',
      defaultValue: 'false',
      values: ['false'],
    };
    const labels = [{ ...plainLabel(1, 'car'), attributes: [crowd] }];
    const shapes = [
      shapeOf('mask', [0, 2, 0, 0, 1, 0], { label_id: 1 }),
      shapeOf('mask', [0, 1, 5, 0, 5, 0], { label_id: 1, attributes: [{ spec_id: 20, value: 'true' }] }),
      shapeOf('mask', [0, 1, 7, 0, 7, 0], { label_id: 1 }),
    ];
    const files = await exported(cityscapesExport, { shapes }, { ...datasetOf(testTask), labels });
    expect(files.paths).toEqual([
      'label_colors.txt',
      ...['color', 'labelIds', 'instanceIds'].map((kind) => `gtFine/default/a_gtFine_${kind}.png`),
    ]);
    const back = await imported(cityscapesImport, files, { ...target, labels });
    expect(back.shapes.map(({ points, attributes }) => [points, attributes[0]?.value])).toEqual([
      [[0, 1, 5, 0, 5, 0], 'true'],
      [[0, 2, 0, 0, 1, 0], 'false'],
      [[0, 1, 7, 0, 7, 0], 'false'],
    ]);
  });

  it('prefers the images for training, which leave pixels out', async () => {
    const files = archive({ 'gtFine/train/a_gtFine_labelTrainIds.png': png([1, 255]) });
    const { shapes } = await imported(cityscapesImport, files, target);
    expect(shapes.map(({ points }) => points)).toEqual([[0, 1, 0, 0, 0, 0]]);
  });

  it('takes the labels of the target in the order of exports, and the background if it has one', async () => {
    const labels = [plainLabel(5, 'road'), plainLabel(6, 'car'), plainLabel(7, 'background')];
    const files = MemoryFiles.of({ [`x/${IDS}`]: png([2001, 1001]) });
    const { shapes } = await imported(cityscapesImport, files, { ...target, labels });
    expect(shapes.map(({ label_id }) => label_id)).toEqual([7, 6, 5]);
    await expect(cityscapesImport.labels?.(files)).rejects.toThrow('label_colors.txt: the list of labels is missing');
    const found = await cityscapesImport.labels?.(archive());
    expect(found).toMatchObject([{ name: 'car', attributes: [{ name: 'is_crowd', input_type: 'checkbox' }] }]);
  });

  it('names images as their masks, and reads a subset', async () => {
    const path = 'leftImg8bit/train/aachen/a_leftImg8bit.png';
    expect(cityscapesImport.imageAt(path)).toEqual({ subset: 'train', name: 'aachen/a.png' });
    expect(cityscapesImport.imageAt(`x/imgsFine/${path}`)).toEqual({ subset: 'train', name: 'aachen/a.png' });
    expect(cityscapesImport.imageAt(IDS)).toBeUndefined();
    expect((await imported(cityscapesImport, archive(), { ...target, subset: 'val' })).shapes).toEqual([]);
    const frames = testTask.frames.map((frame) =>
      frame.frame === 0 ? { ...frame, name: 'a_leftImg8bit.png' } : frame,
    );
    expect((await imported(cityscapesImport, archive(), { ...target, frames })).shapes).toHaveLength(2);
  });

  it.each([
    [{ [IDS]: png([7001]) }, `${IDS}: the value 7001 has no label in the list of labels`],
    [{ [IDS]: png([1001], 60) }, `${IDS}: the mask has 60 x 48 pixels, but the image has 64 x 48`],
    [{ [IDS]: png([1001]).subarray(0, 60) }, `${IDS}: the image is damaged`],
    [{ [IDS]: Buffer.from('text') }, `${IDS}: the file is not a PNG`],
    [{ 'label_colors.txt': '0 0 0 sky\n9 9 9 car' }, `${IDS}: there is no label 'sky' to import it to`],
    [{ 'label_colors.txt': '0 0 car' }, "label_colors.txt, line 1: '0 0 car' is not a colour with a label"],
    [{ 'label_colors.txt': Buffer.from([0xff]) }, 'label_colors.txt: the text is not UTF-8'],
    [
      { 'gtFine/train/../../zz_gtFine_instanceIds.png': png([]) },
      "cvat.apps.dataset_manager.bindings.CvatImportError: Could not match item id: '../../zz' with any task frame",
    ],
  ])('reports the fault in %j', async (files, message) => {
    const outcome = imported(cityscapesImport, archive(files), target);
    await expect(outcome).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('rejects archives without its files, and more labels than 16 bits can number', async () => {
    const outcome = imported(cityscapesImport, MemoryFiles.of({ 'notes/readme.md': '' }), target);
    await expect(outcome).rejects.toThrow('gtFine/**/*_gtFine_instanceIds.png');
    const labels = Array.from({ length: 70 }, (_, at) => plainLabel(at + 1, `l${at + 10}`));
    const shapes = [shapeOf('rectangle', [0, 0, 5, 5], { label_id: 70 })];
    const written = exported(cityscapesExport, { shapes }, { ...datasetOf(testTask), labels });
    await expect(written).rejects.toThrow("cannot express object 1 of an image, with the label 'l79'");
  });
});
