import { describe, expect, it } from '@jest/globals';
import { encode } from 'fast-png';
import fc from 'fast-check';
import {
  datasetOf,
  exported,
  imported,
  MemoryFiles,
  pointsOf,
  shapeOf,
  testTarget,
  testTask,
} from '../../../../../test/support/datasets.js';
import type { Tag } from '../../../../shared/annotations/model.js';
import { openImagesExport } from './export.js';
import { openImagesImport } from './import.js';

const BOXES = 'annotations/default-annotations-bbox.csv';
const HEADER = 'ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded\n';
const MASKS = 'annotations/default-annotations-object-segmentation.csv';
const MASK_HEADER = 'MaskPath,ImageID,LabelName,BoxID,BoxXMin,BoxXMax,BoxYMin,BoxYMax,PredictedIoU,Clicks\n';
const mask = (width = 64): Uint8Array =>
  encode({ width, height: 48, channels: 1, depth: 8, data: new Uint8Array(width * 48).fill(1, 0, 2) });

describe('Open Images', () => {
  it('round-trips tags, rectangles and masks', async () => {
    const common = { frame: fc.nat(5), label_id: fc.constantFrom(2, 3) };
    const rectangle = fc
      .record({ points: pointsOf.rectangle, occluded: fc.boolean(), ...common })
      .map(({ points, ...more }) => shapeOf('rectangle', points, { ...more, source: 'file' }));
    const tag = fc.record(common).map((more): Tag => ({ id: null, group: 0, source: 'file', attributes: [], ...more }));
    const sorted = <T extends { frame: number }>(list: readonly T[]): T[] => list.toSorted((a, b) => a.frame - b.frame);
    await fc.assert(
      fc.asyncProperty(
        fc.array(rectangle, { maxLength: 5 }),
        fc.array(tag, { maxLength: 3 }),
        async (boxes, labels) => {
          const [shapes, tags] = [sorted(boxes), sorted(labels)];
          const data = await imported(openImagesImport, await exported(openImagesExport, { shapes, tags }));
          expect(data).toMatchObject({ shapes, tags });
        },
      ),
      { numRuns: 30 },
    );
    const shapes = [
      shapeOf('rectangle', [1, 1, 20, 20], { group: 4, source: 'file' }),
      shapeOf('mask', [0, 3, 1, 1, 1, 3, 4, 5, 5], { group: 4, source: 'file' }),
      shapeOf('mask', [0, 2, 30, 3, 31, 3], { frame: 3, source: 'file' }),
    ];
    const data = await imported(openImagesImport, await exported(openImagesExport, { shapes }));
    expect(data.shapes).toEqual(shapes.map((shape) => ({ ...shape, group: shape.group === 0 ? 0 : 1 })));
  });

  it('writes names that a spreadsheet would compute as texts, and reads them again', async () => {
    const names = ['=1+1.png', '@a.png', '-b.png', '+c.png', "'=d.png", '-7.png'];
    const frames = testTask.frames.map((frame) => ({ ...frame, name: names[frame.frame] ?? '' }));
    const shapes = frames.map(({ frame }) => shapeOf('rectangle', [1, 1, 9, 9], { frame, source: 'file' }));
    const files = await exported(openImagesExport, { shapes }, datasetOf({ ...testTask, frames }));
    const ids = String(files.files.get(BOXES))
      .split('\r\n')
      .map((line) => line.split(',')[0]);
    expect(ids.slice(1, -1)).toEqual(["'=1+1", "'@a", "'-b", "'+c", "''=d", '-7']);
    expect((await imported(openImagesImport, files, { ...testTarget, frames })).shapes).toEqual(shapes);
  });

  it('gives each mask a file, and lists sizes of images with boxes', async () => {
    const frames = testTask.frames.map((frame) => ({ ...frame, name: ['a/b.png', 'ab.png', "it's.png"][frame.frame] ?? `${frame.frame}.png` })); // prettier-ignore
    const shapes = [0, 1, 2].map((frame) => shapeOf('polygon', [1, 1, 9, 1, 9, 9], { frame }));
    const box = shapeOf('rectangle', [1, 1, 9, 9], { frame: 2 });
    const files = await exported(openImagesExport, { shapes: [...shapes, box] }, datasetOf({ ...testTask, frames }));
    expect(files.paths.filter((path) => path.startsWith('masks/'))).toEqual([
      'masks/default/ab_person-friend_00000000.png',
      'masks/default/ab_person-friend_00000000_1.png',
      'masks/default/its_person-friend_00000000.png',
    ]);
    expect(files.text('annotations/images.meta')).toBe(`# <image name> <height> <width>\n\n'it'"'"'s' 48 64\n`);
    expect(files.paths).not.toContain('annotations/default-annotations-human-imagelabels.csv');
  });

  it('reads labels, images and one subset, also in a folder', async () => {
    const files = MemoryFiles.of({
      'data/annotations/class-descriptions.csv': '/m/01,car\r\n"a, b",c\r\n',
      'data/annotations/x-annotations-bbox.csv': `${HEADER}a,,car,1,0,0.5,0,0.5,1\n`,
      'data/annotations/y-annotations-bbox.csv': `${HEADER}b,,car,1,0,0.5,0,0.5,0\n`,
    });
    expect((await openImagesImport.labels?.(files))?.map(({ name }) => name)).toEqual(['/m/01', 'a, b']);
    expect(openImagesImport.imageAt('data/images/x/sub/c.jpg')).toEqual({ subset: 'x', name: 'sub/c.jpg' });
    const target = { labels: datasetOf(testTask).labels, frames: testTask.frames, mode: 'annotation' as const };
    const { shapes } = await imported(openImagesImport, files, { ...target, subset: 'x' });
    expect(shapes).toMatchObject([{ frame: 0, occluded: true, points: [0, 0, 32, 24] }]);
  });

  it.each([
    ['a,,tree,1,0,1,0,1,0', `${BOXES}, line 2: there is no label 'tree' to import it to`],
    ['a,,car,1,0,1,0,NaN,0', `${BOXES}, line 2: YMax 'NaN' is not a number`],
    ['a,,car,1,0,1', `${BOXES}, line 2: YMin '' is not a number`],
    ['\n,,car,1,0,1,0,1,0', `${BOXES}, line 3: the column ImageID is empty`],
    ['"a', `${BOXES}: the file is not CSV: Quote Not Closed: the parsing is finished with an opening quote at line 2`],
  ])('reports the fault in %j', async (row, message) => {
    const outcome = imported(openImagesImport, MemoryFiles.of({ [BOXES]: HEADER + row }));
    await expect(outcome).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it.each([
    ['missing', {}, `${MASKS}, line 2: the archive has no mask 'masks/default/m.png'`],
    ['of another size', { 'masks/default/m.png': mask(5) }, 'the mask has 5 x 48 pixels, but the image has 64 x 48'],
    ['damaged', { 'masks/default/m.png': mask().subarray(0, 50) }, 'masks/default/m.png: the image is damaged'],
  ])('reports a mask that is %s', async (_, files, message) => {
    const archive = MemoryFiles.of({ [MASKS]: `${MASK_HEADER}m.png,a,car,00000000,,,,,,\n`, ...files });
    await expect(imported(openImagesImport, archive)).rejects.toThrow(message);
    await expect(imported(openImagesImport, archive)).rejects.toMatchObject({ name: 'FormatError' });
  });

  it('rejects unknown images and archives without files', async () => {
    const unknown = MemoryFiles.of({ [BOXES]: `${HEADER}zz,,car,1,0,1,0,1,0\n` });
    await expect(imported(openImagesImport, unknown)).rejects.toThrow("Could not match item id: 'zz'");
    await expect(imported(openImagesImport, MemoryFiles.of({ 'a.csv': '' }))).rejects.toThrow('Failed to find dataset');
  });
});
