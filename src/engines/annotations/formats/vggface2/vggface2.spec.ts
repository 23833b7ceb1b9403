import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  exported,
  imported,
  MemoryFiles,
  pointsOf,
  shapeOf,
  testTarget,
} from '../../../../../test/support/datasets.js';
import type { Tag } from '../../../../shared/annotations/model.js';
import { vggFace2Export } from './export.js';
import { vggFace2Import } from './import.js';

const BOXES = 'bb_landmark/loose_bb_default.csv';
const LANDMARKS = 'bb_landmark/loose_landmark_default.csv';
const HEADER = 'NAME_ID,X,Y,W,H\n';
const tagOf = (frame: number, label_id: number): Tag => ({ id: null, label_id, frame, group: 0, source: 'file', attributes: [] }); // prettier-ignore

describe('VGGFace2', () => {
  it('round-trips a rectangle, landmarks and tags of each image', async () => {
    const label = fc.constantFrom(2, 3);
    const box = fc.tuple(fc.nat(5), label, pointsOf.rectangle);
    const landmark = fc.tuple(
      fc.nat(5),
      label,
      fc.array(fc.integer({ min: 0, max: 480 }), { minLength: 10, maxLength: 10 }),
    );
    const one = { selector: ([frame]: readonly [number, ...unknown[]]) => frame };
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(box, one),
        fc.uniqueArray(landmark, one),
        fc.uniqueArray(fc.tuple(fc.nat(5), label), one),
        async (boxes, landmarks, pairs) => {
          const file = { source: 'file' };
          const rectangles = boxes.map(([frame, label_id, points]) => shapeOf('rectangle', points, { frame, label_id, ...file })); // prettier-ignore
          const points = landmarks.map(([frame, label_id, values]) => shapeOf('points', values.map((value) => value / 10), { frame, label_id, ...file })); // prettier-ignore
          const shapes = [...rectangles, ...points].toSorted((a, b) => a.frame - b.frame);
          const tags = pairs.toSorted(([a], [b]) => a - b).map(([frame, id]) => tagOf(frame, id));
          const data = await imported(vggFace2Import, await exported(vggFace2Export, { shapes, tags }));
          for (const type of ['rectangle', 'points']) {
            expect(data.shapes.filter((shape) => shape.type === type)).toEqual(
              shapes.filter((shape) => shape.type === type),
            );
          }
          expect(data.tags).toEqual(tags);
        },
      ),
      { numRuns: 30 },
    );
  });

  it.each([
    ['rectangle', [1, 1, 5, 5], 'Exception: Item (sub/c, default): an image can have only one bbox'],
    ['points', [1, 1], 'Exception: Item (sub/c, default): an image can have only one set of landmarks'],
  ] as const)('cannot express two shapes of type %s on an image', async (type, points, message) => {
    const shapes = [1, 2].map(() => shapeOf(type, [...points], { frame: 2 }));
    await expect(exported(vggFace2Export, { shapes })).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('reads labels, images and one subset', async () => {
    const files = MemoryFiles.of({ [BOXES]: `${HEADER}car/a,1,2,3,4\nno_label/b,1,2,3,4\n` });
    expect((await vggFace2Import.labels?.(files))?.map(({ name }) => name)).toEqual(['car']);
    expect(vggFace2Import.imageAt('train/car/x/a.jpg')).toEqual({ subset: 'train', name: 'car/x/a.jpg' });
    expect(vggFace2Import.imageAt('car/a.jpg')).toBeUndefined();
    expect(await imported(vggFace2Import, files, { ...testTarget, subset: 'train' })).toMatchObject({ shapes: [] });
  });

  it.each([
    ['car/a,1,2,3', `${BOXES}, line 2: H '' is not a number`],
    ['car/a,1,2,NaN,4', `${BOXES}, line 2: W 'NaN' is not a number`],
    ['a,1,2,3,4', `${BOXES}, line 2: 'a' is not a label and the name of an image`],
    ['tree/a,1,2,3,4', `${BOXES}, line 2: there is no label 'tree' to import it to`],
    ['no_label/a,1,2,3,4', `${BOXES}, line 2: there is no label 'no_label' to import it to`],
  ])('reports the fault in %j', async (row, message) => {
    const outcome = imported(vggFace2Import, MemoryFiles.of({ [BOXES]: HEADER + row }));
    await expect(outcome).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('rejects incomplete landmarks, unknown images and archives without tables', async () => {
    const landmarks = MemoryFiles.of({ [LANDMARKS]: 'NAME_ID,P1X,P1Y\ncar/a,1,2\n' });
    await expect(imported(vggFace2Import, landmarks)).rejects.toThrow("P2X '' is not a number");
    const unknown = MemoryFiles.of({ [BOXES]: `${HEADER}car/zz,1,2,3,4\n` });
    await expect(imported(vggFace2Import, unknown)).rejects.toThrow("Could not match item id: 'car/zz'");
    await expect(imported(vggFace2Import, MemoryFiles.of({}))).rejects.toThrow('Failed to find dataset');
  });
});
