import { describe, expect, it } from '@jest/globals';
import { encode } from 'fast-png';
import {
  datasetOf,
  exported,
  imported,
  MemoryFiles,
  shapeOf,
  testTarget,
  testTask,
} from '../../../../../test/support/datasets.js';
import { decodePng } from '../items/png.js';
import { panopticExport } from './export.js';
import { panopticImport } from './import.js';

const LIST = 'annotations/panoptic_default.json';

describe('COCO Panoptic', () => {
  it('writes what upper layers leave visible, with numbers as colours', async () => {
    const files = await exported(panopticExport, {
      shapes: [
        shapeOf('rectangle', [0, 0, 10, 10], { label_id: 1, attributes: [{ spec_id: 12, value: 'true' }] }),
        shapeOf('rectangle', [5, 0, 15, 10], { z_order: 1 }),
        shapeOf('rectangle', [20, 20, 22, 22]),
        shapeOf('rectangle', [20, 20, 22, 22], { z_order: 1 }),
      ],
    });
    const { annotations, categories, images } = JSON.parse(files.text(LIST)) as Record<string, object[]>;
    expect(images).toHaveLength(6);
    expect(categories).toMatchObject([{ id: 1, name: 'car', isthing: 1, color: [32, 128, 192] }, {}, {}]);
    expect(annotations).toMatchObject([
      {
        image_id: 1,
        file_name: 'a.png',
        segments_info: [
          { id: 1, category_id: 1, area: 50, bbox: [0, 0, 5, 10], attributes: { parked: true } },
          { id: 3, category_id: 2, area: 100, bbox: [5, 0, 10, 10] },
          { id: 4, category_id: 2, area: 4 },
        ],
      },
    ]);
    const png = await decodePng(files.files.get('annotations/panoptic_default/a.png') ?? Buffer.alloc(0), 'a.png');
    expect([...png.data.slice(0, 3), ...png.data.slice(15, 18)]).toEqual([1, 0, 0, 3, 0, 0]);
  });

  it('lists the images of each subset in a file of its own', async () => {
    const second = { ...testTask, id: 8, subset: 'Test' };
    const dataset = { ...datasetOf(testTask, 'project'), tasks: [testTask, second] };
    const files = await exported(panopticExport, { shapes: [shapeOf('rectangle', [0, 0, 9, 9])] }, dataset);
    for (const subset of ['default', 'Test']) {
      const { annotations } = JSON.parse(files.text(`annotations/panoptic_${subset}.json`)) as Record<string, object[]>;
      expect(annotations).toMatchObject([{ image_id: 1, file_name: 'a.png', segments_info: [{ id: 1, area: 81 }] }]);
    }
  });

  it('unites the masks of a group, and leaves out shapes outside of the image', async () => {
    const files = await exported(panopticExport, {
      shapes: [
        shapeOf('rectangle', [-20, -20, -5, -5]),
        shapeOf('rectangle', [0, 0, 10, 10], { group: 3 }),
        shapeOf('rectangle', [30, 0, 32, 10], { group: 3, label_id: 1 }),
        shapeOf('rectangle', [5, 0, 15, 10]),
      ],
    });
    const { annotations } = JSON.parse(files.text(LIST)) as Record<string, object[]>;
    expect(annotations).toMatchObject([
      {
        segments_info: [
          { category_id: 2, area: 50, bbox: [10, 0, 5, 10] },
          { category_id: 2, area: 120, bbox: [0, 0, 32, 10] },
        ],
      },
    ]);
  });

  it('round-trips masks with attributes', async () => {
    const mask = shapeOf('mask', [1, 3, 2, 4, 3, 5], {
      label_id: 1,
      source: 'file',
      frame: 2,
      occluded: true,
      attributes: [
        { spec_id: 11, value: 'bmw' },
        { spec_id: 12, value: 'true' },
      ],
    });
    const files = await exported(panopticExport, { shapes: [mask] });
    const { shapes } = await imported(panopticImport, files);
    expect(shapes).toMatchObject([{ ...mask, points: expect.any(Array) }]);
    const polygons = await imported(panopticImport, files, { ...testTarget, masksToPolygons: true });
    expect(polygons.shapes).toMatchObject([{ type: 'polygon', label_id: 1 }]);
    expect(await panopticImport.labels?.(files)).toMatchObject([{ name: 'car' }, {}, { name: 'body' }]);
    expect(panopticImport.imageAt('x/images/default/b/a.jpg')).toEqual({ subset: 'default', name: 'b/a.jpg' });
  });

  const png = (color: readonly number[]): Uint8Array =>
    encode({
      width: 64,
      height: 48,
      channels: 3,
      data: new Uint8Array(64 * 48 * 3).map((_, at) => color[at % 3] ?? 0),
    });
  const archive = (segment: object, annotation: object = {}, image = png([7, 1, 0])): MemoryFiles =>
    MemoryFiles.of({
      [LIST]: JSON.stringify({
        images: [{ id: 1, file_name: 'a.jpg' }],
        categories: [
          { id: 1, name: 'car' },
          { id: 2, name: 'x' },
        ],
        annotations: [
          { image_id: 1, file_name: 'a.png', segments_info: [{ id: 263, category_id: 1, ...segment }], ...annotation },
        ],
      }),
      'annotations/panoptic_default/a.png': image,
    });

  it('reads numbers of 24 bits, without attributes', async () => {
    expect((await imported(panopticImport, archive({}))).shapes).toMatchObject([{ label_id: 1, type: 'mask' }]);
  });

  it.each([
    [
      archive({ id: 5 }),
      'annotations[0], segments_info[0]: segment 5 has no pixels in annotations/panoptic_default/a.png',
    ],
    [archive({ id: 2 ** 24 }), 'id is not a whole number of 24 bits'],
    [archive({ id: 'x' }), 'id is not a whole number of 24 bits'],
    [archive({ category_id: 9 }), "there is no category '9'"],
    [archive({ category_id: 2 }), "there is no label 'x'"],
    [archive({}, { image_id: 9 }), "annotations[0]: there is no image '9'"],
    [archive({}, { file_name: '../a.png' }), 'the archive has no annotations/a.png'],
    [archive({}, { file_name: 7 }), 'file_name is not a text'],
    [archive({}, { segments_info: {} }), 'segments_info is not a list'],
    [archive({}, {}, new Uint8Array([1, 2, 3])), 'a.png: the file is not a PNG'],
    [archive({}, {}, png([7, 1, 0]).slice(0, 90)), 'a.png: the image is damaged'],
    [MemoryFiles.of({ [LIST]: '{"images":[' }), 'panoptic_default.json: this is not JSON'],
    [MemoryFiles.of({ 'a.json': '{}' }), 'Dataset must contain a file'],
  ])('rejects wrong files (%#): %s', async (files, message) => {
    await expect(imported(panopticImport, files)).rejects.toThrow(message);
    await expect(imported(panopticImport, files)).rejects.toMatchObject({ name: 'FormatError' });
  });
});
