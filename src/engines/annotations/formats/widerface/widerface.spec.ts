import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  datasetOf,
  exported,
  imported,
  MemoryFiles,
  pointsOf,
  shapeOf,
  testLabels,
  testTarget,
  testTask,
} from '../../../../../test/support/datasets.js';
import type { Tag } from '../../../../shared/annotations/model.js';
import { widerFaceExport } from './export.js';
import { widerFaceImport } from './import.js';

const LIST = 'wider_face_split/wider_face_train_bbx_gt.txt';
const read = (text: string, target = testTarget) => imported(widerFaceImport, MemoryFiles.of({ [LIST]: text }), target);
const tagOf = (frame: number, label_id: number): Tag => ({ id: null, label_id, frame, group: 0, source: 'file', attributes: [] }); // prettier-ignore

const face = {
  color: '#303030',
  type: 'any',
  parentId: null,
  svg: '',
  id: 9,
  name: 'face',
  attributes: [
    { id: 91, name: 'blur', mutable: false, inputType: 'number', defaultValue: '0', values: ['0', '2', '1'] },
  ],
};
const withFaces = { ...datasetOf(testTask), labels: [...testLabels, face] };
const faceTarget = { ...testTarget, labels: withFaces.labels };

describe('WiderFace', () => {
  it('round-trips rectangles and the first tag of images', async () => {
    const common = { frame: fc.nat(5), label_id: fc.constantFrom(2, 3, 9) };
    const rectangle = fc
      .record({ points: pointsOf.rectangle, occluded: fc.boolean(), ...common })
      .map(({ points, ...more }) => shapeOf('rectangle', points, { ...more, source: 'file' }));
    const tags = fc.uniqueArray(fc.tuple(fc.nat(5), fc.constantFrom(2, 3)), { selector: ([frame]) => frame });
    await fc.assert(
      fc.asyncProperty(fc.array(rectangle, { maxLength: 5 }), tags, async (boxes, pairs) => {
        const shapes = boxes.toSorted((a, b) => a.frame - b.frame);
        const own = pairs.toSorted(([a], [b]) => a - b).map(([frame, label]) => tagOf(frame, label));
        const files = await exported(widerFaceExport, { shapes, tags: own }, withFaces);
        const data = await imported(widerFaceImport, files, faceTarget);
        expect(data.tags).toEqual(own);
        expect(data.shapes).toMatchObject(
          shapes.map(({ frame, points, label_id, occluded }) => ({ frame, points, label_id, occluded })),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('writes attributes, and no label for faces', async () => {
    const shapes = [
      shapeOf('rectangle', [1, 2, 4, 8], { label_id: 9, attributes: [{ spec_id: 91, value: '2' }] }),
      shapeOf('rectangle', [1, 2, 4, 8], { occluded: true }),
    ];
    const files = await exported(widerFaceExport, { shapes, tags: [tagOf(0, 3)] }, withFaces);
    expect(files.text('wider_face_split/wider_face_default_bbx_gt.txt').split('\n').slice(0, 5)).toEqual([
      '2--body/a.jpg',
      '2',
      '1.0 2.0 3.0 6.0 2.0 - - False - - ',
      '1.0 2.0 3.0 6.0 - - - True - - person & "friend"',
      'no_label/b.jpg',
    ]);
  });

  it('reads lists of the original dataset', async () => {
    const text = '0--Parade/a.jpg\n2\n1 2 3 4 2 0 0 0 0 0 \n5 6 7 8\n0--Parade/b.jpg\n0\n0 0 0 0 0 0 0 0 0 0\n';
    const { shapes, tags } = await read(text, faceTarget);
    expect(shapes).toMatchObject([
      { frame: 0, points: [1, 2, 4, 6], label_id: 9, attributes: [{ spec_id: 91, value: '2' }] },
      { frame: 0, points: [5, 6, 12, 14], label_id: 9 },
    ]);
    expect(tags).toEqual([]);
    const labels = await widerFaceImport.labels?.(MemoryFiles.of({ [`wider/${LIST}`]: text }));
    expect(labels).toMatchObject([
      { name: 'face', attributes: [{ name: 'blur' }, {}, {}, {}, {}] },
      { name: 'Parade' },
    ]);
    expect(widerFaceImport.imageAt('wider/WIDER_train/images/0--Parade/x/a.jpg')).toEqual({ subset: 'train', name: 'x/a.jpg' }); // prettier-ignore
    expect(await read(text, { ...faceTarget, subset: 'val' })).toMatchObject({ shapes: [] });
  });

  it.each([
    ['1 2 3 4', `${LIST}, line 1: '1 2 3 4' stands before the first image`],
    ['x/a.jpg\n1\n1 2 3', `${LIST}, line 3: '1 2 3' does not begin with four numbers`],
    ['x/a.jpg\n1\n1 2 NaN 4', `${LIST}, line 3: '1 2 NaN 4' does not begin with four numbers`],
    ['x/a.jpg\n-1\n1 2 3 4', `${LIST}, line 2: '-1' is not the number of boxes of the image`],
    ['x/a.jpg\n2\n1 2 3 4 car\nx/b.jpg\n0', `${LIST}, line 1: the image has 1 of 2 boxes`],
    ['x/a.jpg\n999999999\n1 2 3 4 car', `${LIST}, line 1: the image has 1 of 999999999 boxes`],
    ['x/a.jpg\n1\n1e5 2 0x10 4 car', `${LIST}, line 3: '1e5 2 0x10 4 car' does not begin with four numbers`],
    ['x/a.jpg\n1\n1 2 3 4 tree', `${LIST}, line 3: there is no label 'tree' to import it to`],
  ])('reports the fault in %j', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('rejects unknown images and archives without lists', async () => {
    await expect(read('x/zz.jpg\n1\n1 2 3 4 car')).rejects.toThrow("Could not match item id: 'zz'");
    const outcome = imported(widerFaceImport, MemoryFiles.of({ 'labels.txt': '' }));
    await expect(outcome).rejects.toThrow('must contain a file: "wider_face_split/*.txt"');
  });
});
