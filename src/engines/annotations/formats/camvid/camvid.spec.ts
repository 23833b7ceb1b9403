import { describe, expect, it } from '@jest/globals';
import { encode } from 'fast-png';
import fc from 'fast-check';
import {
  datasetOf,
  exported,
  imported,
  pixelMaskPoints,
  MemoryFiles,
  plainLabel,
  shapeOf,
  testLabels,
  testTarget,
  testTask,
} from '../../../../../test/support/datasets.js';
import { camVidExport } from './export.js';
import { camVidImport } from './import.js';

/** An image of 64 x 48 whose first pixels have these colours. */
const png = (...pixels: (readonly [number, number, number])[]): Uint8Array => {
  const data = new Uint8Array(64 * 48 * 3);
  data.set(pixels.flat());
  return encode({ width: 64, height: 48, channels: 3, depth: 8, data });
};
const CAR = [32, 128, 192] as const;
const target = { ...testTarget, masksToPolygons: false };
const archive = (files: Record<string, string | Uint8Array> = {}): MemoryFiles =>
  MemoryFiles.of({
    'label_colors.txt': '32 128 192 car\n',
    'Train.txt': '/Train/a.jpg Trainannot/a.png\n/Train/b.jpg \n',
    'Trainannot/a.png': png(CAR, CAR),
    ...files,
  });

describe('CamVid', () => {
  it('round-trips masks, one of each label', async () => {
    await fc.assert(
      fc.asyncProperty(pixelMaskPoints, fc.nat(5), async (points, frame) => {
        const shapes = [shapeOf('mask', points, { label_id: 1, frame })];
        const first = await exported(camVidExport, { shapes });
        const data = await imported(camVidImport, first, target);
        const again = await exported(camVidExport, data);
        expect(again.files).toEqual(first.files);
        expect(data.shapes.every(({ type, label_id }) => type === 'mask' && label_id === 1)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('lists images and masks, in quotes if they have spaces', async () => {
    const shapes = [
      shapeOf('rectangle', [1, 1, 9, 9], { frame: 2 }),
      shapeOf('polygon', [1, 1, 9, 1, 9, 9], { frame: 3 }),
    ];
    const files = await exported(camVidExport, { shapes });
    const lines = files.text('default.txt').split('\n');
    expect(lines.slice(1, 4)).toEqual([
      '/default/b.jpg ',
      '/default/sub/c.jpg defaultannot/sub/c.png',
      '"/default/d 1.png" "defaultannot/d 1.png"',
    ]);
    expect(files.text('label_colors.txt').split('\n').slice(0, 2)).toEqual(['128 0 0 body', '32 128 192 car']);
    const back = await imported(camVidImport, files, target);
    expect(back.shapes.map(({ frame }) => frame)).toEqual([2, 3]);
  });

  it('reads archives in a folder, and lists of other tools', async () => {
    const list = { 'a/b/train.txt': '/SegNet/CamVid/train/a.jpg /SegNet/CamVid/trainannot/a.png' };
    const files = MemoryFiles.of({ ...list, 'a/b/trainannot/a.png': png([64, 0, 128]), 'a/b/train/a.jpg': '' });
    const labels = testLabels.map((label) => (label.id === 1 ? { ...label, name: 'Car' } : label));
    const data = await imported(camVidImport, files, {
      ...target,
      labels: [...labels, plainLabel(9, 'Void')],
      subset: 'train',
    });
    expect(data.shapes.map(({ label_id }) => label_id)).toEqual([9, 1]);
    expect(await camVidImport.labels?.(files)).toHaveLength(32);
    expect((await camVidImport.subsets?.(files))?.get('b/train/a')).toBe('train');
  });

  it('reads the background only if it is listed and the target has it', async () => {
    expect((await imported(camVidImport, archive(), target)).shapes).toHaveLength(1);
    const listed = archive({ 'label_colors.txt': '0 0 0 background\n32 128 192 car\n' });
    expect((await imported(camVidImport, listed, target)).shapes).toHaveLength(1);
    const labels = [...testLabels, plainLabel(9, 'background')];
    expect((await imported(camVidImport, listed, { ...target, labels })).shapes).toHaveLength(2);
    expect((await imported(camVidImport, archive(), { ...target, labels })).shapes).toHaveLength(1);
    expect((await camVidImport.labels?.(archive()))?.map(({ name }) => name)).toEqual(['background', 'car']);
  });

  it('reads a subset, and every mask once', async () => {
    const files = archive({ 'trainval.txt': '/Train/a.jpg Trainannot/a.png' });
    expect((await imported(camVidImport, files, target)).shapes).toHaveLength(1);
    expect((await imported(camVidImport, files, { ...target, subset: 'Val' })).shapes).toEqual([]);
    expect(camVidImport.imageAt('Train/sub/a.jpg')).toEqual({ subset: 'Train', name: 'sub/a.jpg' });
    expect(camVidImport.imageAt('Trainannot/a.png')).toBeUndefined();
    expect(camVidImport.imageAt('x/Trainannot/a.png')).toBeUndefined();
  });

  it('takes no mask of a list for an image, wherever it is', async () => {
    const files = MemoryFiles.of({ 'default.txt': '/default/img.png default/annot.png\n', 'default/annot.png': '' });
    const imageAt = await camVidImport.imagesIn?.(files);
    expect(['default/img.png', 'default/annot.png'].map((path) => imageAt?.(path))).toEqual([
      { subset: 'default', name: 'img.png' },
      undefined,
    ]);
  });

  it.each([
    [{ 'Trainannot/a.png': png([1, 2, 3]) }, "Trainannot/a.png: no label has the colour '1 2 3'"],
    [{ 'Trainannot/a.png': png(CAR).subarray(0, 60) }, 'Trainannot/a.png: the image is damaged'],
    [{ 'Train.txt': '/Train/a.jpg ../a.png' }, "Train.txt, line 1: the archive has no mask '../a.png'"],
    [{ 'Train.txt': '\n/Train/a.jpg b c' }, "Train.txt, line 2: '/Train/a.jpg b c' is not an image with its mask"],
    [{ 'Train.txt': Buffer.from([0x2f, 0xff]) }, 'Train.txt: the text is not UTF-8'],
    [
      { 'Train.txt': '/Train/zz.jpg Trainannot/a.png' },
      "cvat.apps.dataset_manager.bindings.CvatImportError: Could not match item id: 'zz' with any task frame",
    ],
    [{ 'label_colors.txt': '32 128 192 tree' }, "Trainannot/a.png: there is no label 'tree' to import it to"],
    [{ 'label_colors.txt': '1 2 999 car' }, "label_colors.txt, line 1: '1 2 999 car' is not a colour with a label"],
    [{ 'label_colors.txt': '1 NaN 9 car' }, "label_colors.txt, line 1: '1 NaN 9 car' is not a colour with a label"],
    [
      { 'label_colors.txt': '1 2 9 car\n1 2 8 car' },
      "label_colors.txt, line 2: the label 'car' is listed twice, with the colours 1 2 9 and 1 2 8",
    ],
  ])('reports the fault in %j', async (files, message) => {
    const outcome = imported(camVidImport, archive(files), target);
    await expect(outcome).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('rejects archives without lists, and subsets whose files would replace others', async () => {
    const outcome = imported(camVidImport, MemoryFiles.of({ 'notes/readme.md': '' }), target);
    await expect(outcome).rejects.toThrow('Failed to find dataset');
    const project = { ...datasetOf(testTask), tasks: ['a', 'aannot'].map((subset) => ({ ...testTask, subset })) };
    await expect(exported(camVidExport, {}, project)).rejects.toThrow("a subset called 'a'");
  });
});
