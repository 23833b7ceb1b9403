import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encode } from 'fast-png';
import {
  datasetOf,
  exported,
  imported,
  maskPoints,
  MemoryFiles,
  plainLabel,
  pointsOf,
  shapeOf,
  testTarget,
  testTask,
} from '../../../../../test/support/datasets.js';
import { segmentationMaskExport, vocExport } from './export.js';
import { segmentationMaskImport, vocImport } from './import.js';

const byPlace = <T extends { frame: number; label_id: number }>(list: readonly T[]): T[] =>
  list.toSorted((a, b) => a.frame - b.frame || a.label_id - b.label_id);

describe('PASCAL VOC', () => {
  it('round-trips rectangles with their rotation and attributes, and tags', async () => {
    const values = (model: string, parked: boolean) => [
      { spec_id: 11, value: model },
      { spec_id: 12, value: String(parked) },
    ];
    const rectangle = fc
      .record({
        points: pointsOf.rectangle,
        frame: fc.nat(5),
        rotation: fc.nat(359),
        occluded: fc.boolean(),
        attributes: fc.record({ model: fc.constantFrom('', 'a b', '<&>'), parked: fc.boolean() }),
      })
      .map(({ points, attributes, ...more }) =>
        shapeOf('rectangle', points, {
          ...more,
          label_id: 1,
          source: 'file',
          attributes: values(attributes.model, attributes.parked),
        }),
      );
    const tag = fc.uniqueArray(fc.record({ frame: fc.nat(5), label_id: fc.constantFrom(2, 3) }), {
      selector: JSON.stringify,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(rectangle, { maxLength: 6 }), tag, async (list, places) => {
        const shapes = list.toSorted((a, b) => a.frame - b.frame);
        const tags = places
          .toSorted((a, b) => a.frame - b.frame)
          .map((place) => ({ id: null, ...place, group: 0, source: 'file', attributes: [] }));
        const data = await imported(vocImport, await exported(vocExport, { shapes, tags }));
        expect(data.shapes).toEqual(shapes);
        expect(byPlace(data.tags)).toEqual(byPlace(tags));
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ['PASCAL VOC', vocExport, vocImport],
    ['Segmentation mask', segmentationMaskExport, segmentationMaskImport],
  ] as const)('round-trips a mask on each image with %s', async (_, exporting, importing) => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(5)), maskPoints, async (frames, points) => {
        const shapes = frames.toSorted((a, b) => a - b).map((frame) => shapeOf('mask', points, { frame }));
        const first = await imported(importing, await exported(exporting, { shapes }));
        const again = await imported(importing, await exported(exporting, first));
        expect(again).toEqual(first);
        const isEmpty = points.slice(0, -4).every((run, at) => at % 2 === 0 || run === 0);
        expect(first.shapes.map(({ frame }) => frame)).toEqual(isEmpty ? [] : frames.toSorted((a, b) => a - b));
      }),
      { numRuns: 20 },
    );
  });

  it('gives images of one name in different subsets different names', async () => {
    const tasks = ['a', 'b'].map((subset) => ({
      ...testTask,
      subset,
      frames: testTask.frames.map((frame) => ({ ...frame })),
    }));
    const files = await exported(vocExport, {}, { ...datasetOf(testTask), kind: 'project', tasks });
    expect(files.text('ImageSets/Main/b.txt').split('\n')).toContain('sub/c_1');
    expect(files.paths).toEqual(expect.arrayContaining(['Annotations/sub/c.xml', 'Annotations/sub/c_1.xml']));
  });

  it('rejects a dataset with one file name for a label and a subset', async () => {
    const tasks = ['x', 'car_x'].map((subset) => ({
      ...testTask,
      subset,
      frames: testTask.frames.map((frame) => ({ ...frame, name: `${subset}/${frame.name}` })),
    }));
    const tags = [{ id: null, frame: 0, label_id: 1, group: 0, source: 'manual', attributes: [] }];
    const dataset = { ...datasetOf(testTask), kind: 'project' as const, tasks };
    await expect(exported(vocExport, { tags }, dataset)).rejects.toMatchObject({
      name: 'FormatError',
      message: "PASCAL VOC 1.1 has one file 'ImageSets/Main/car_x.txt' for several labels or subsets of the dataset.",
    });
  });
});

const LABEL_MAP = '# label:color_rgb:parts:actions\nbackground:0,0,0::\ncar:128,0,0::\n';

const object = (name: string, xmin: string): string =>
  `<object><name>${name}</name><bndbox><xmin>${xmin}</xmin><ymin>2</ymin><xmax>3</xmax><ymax>4</ymax></bndbox></object>`;

const png = (width: number, height: number, color: readonly number[]): Uint8Array => {
  const data = new Uint8Array(width * height * 3);
  data.set(color, 0);
  return encode({ width, height, channels: 3, data });
};

describe('PASCAL VOC import', () => {
  const read = (files: Readonly<Record<string, string | Uint8Array>>, importing = vocImport) =>
    imported(
      importing,
      MemoryFiles.of({
        'labelmap.txt': LABEL_MAP,
        'ImageSets/Main/train.txt': 'a\n',
        'ImageSets/Segmentation/train.txt': 'a\n',
        ...files,
      }),
    );

  it('reads archives in a folder, without a label map, and with subsets whose names have an underscore', async () => {
    const { shapes, tags } = await imported(
      vocImport,
      MemoryFiles.of({
        'VOC/ImageSets/Main/my_set.txt': '# images\na\n\nsub/c\n',
        'VOC/ImageSets/Main/car_my_set.txt': 'a  1\nsub/c -1\n',
        'VOC/Annotations/a.xml': `<annotation>${object('car', '1')}</annotation>`,
        'VOC/Annotations/sub/c.xml': `<annotation>${object('car', '1.5')}<object><name>car</name></object></annotation>`,
      }),
    );
    expect(shapes.map(({ frame, points }) => [frame, points])).toEqual([[0, [1, 2, 3, 4]], [2, [1.5, 2, 3, 4]]]); // prettier-ignore
    expect(tags.map(({ frame, label_id }) => [frame, label_id])).toEqual([[0, 1]]);
  });

  it('reads images whose names begin like a comment', async () => {
    const frames = testTask.frames.map((frame) => ({ ...frame, name: `#${frame.name}` }));
    const tags = [{ id: null, frame: 1, label_id: 1, group: 0, source: 'file', attributes: [] }];
    const shapes = [shapeOf('rectangle', [1, 2, 3, 4], { label_id: 1, frame: 1 })];
    const files = await exported(vocExport, { shapes, tags }, datasetOf({ ...testTask, frames }));
    const back = await imported(vocImport, files, { ...testTarget, frames });
    expect([...back.shapes, ...back.tags].map(({ frame }) => frame)).toEqual([1, 1]);
  });

  it('tells the subsets of images whose names begin or end with spaces', async () => {
    const files = MemoryFiles.of({
      'ImageSets/Main/val.txt': ' a\n a b \n',
      'ImageSets/Main/train.txt': 'a\n  other tool  \n',
      'JPEGImages/ a.jpg': '',
      'JPEGImages/a.jpg': '',
      'JPEGImages/ a b .jpg': '',
      'JPEGImages/other tool.jpg': '',
    });
    expect([...((await vocImport.subsets?.(files)) ?? [])]).toEqual([
      [' a', 'val'],
      [' a b ', 'val'],
      ['a', 'train'],
      ['other tool', 'train'],
    ]);
  });

  it('keeps the spaces around poses', async () => {
    const [car] = testTarget.labels;
    const labels = car === undefined ? [] : [{ ...car, attributes: car.attributes.map((each) => ({ ...each, name: 'pose' })).slice(0, 1) }]; // prettier-ignore
    const attributes = [{ spec_id: 11, value: ' to the left\n' }];
    const shapes = [shapeOf('rectangle', [1, 1, 2, 2], { label_id: 1, attributes })];
    const files = await exported(vocExport, { shapes }, { ...datasetOf(testTask), labels });
    expect((await imported(vocImport, files, { ...testTarget, labels })).shapes).toMatchObject([{ attributes }]);
  });

  it('reads annotation files without lists', async () => {
    const files = MemoryFiles.of({ 'x/y/a.xml': `<annotation>${object('car', '1')}</annotation>` });
    expect((await imported(vocImport, files)).shapes).toHaveLength(1);
    expect(await vocImport.labels?.(files)).toContainEqual({ name: 'car', attributes: [] });
  });

  it('reads the images of one subset, and tells the subsets of images', async () => {
    const files = MemoryFiles.of({
      'ImageSets/Main/train.txt': 'a\n',
      'ImageSets/Main/val.txt': 'b\na\n',
      'Annotations/a.xml': `<annotation>${object('car', '1')}</annotation>`,
      'Annotations/b.xml': `<annotation>${object('car', '1')}</annotation>`,
    });
    const { shapes } = await imported(vocImport, files, { ...testTarget, subset: 'val' });
    expect(shapes.map(({ frame }) => frame)).toEqual([1]);
    expect([...((await vocImport.subsets?.(files)) ?? [])]).toEqual([['a', 'train'], ['b', 'val']]); // prettier-ignore
  });

  const annotation = (content: string) => ({ 'Annotations/a.xml': `<annotation>\n${content}</annotation>` });

  it.each([
    [annotation(object('cat', '1')), "Annotations/a.xml, line 2: there is no label 'cat' to import it to"],
    [annotation(object('car', 'NaN')), "Annotations/a.xml, line 2: xmin 'NaN' is not a number"],
    [annotation('<object><bndbox/></object>'), 'Annotations/a.xml, line 2: an object has no name'],
    [annotation('<object><name>car</name><bndbox/></object>'), 'Annotations/a.xml, line 2: a box has no xmin'],
    [
      { 'Annotations/a.xml': '<annotation><object>' },
      'Annotations/a.xml, line 1: this is not well-formed XML (unclosed tag: object)',
    ],
    [{ 'Annotations/a.xml': '<annotations/>' }, 'Annotations/a.xml: this is not a PASCAL VOC annotation'],
    [{ 'labelmap.txt': 'car' }, "labelmap.txt, line 1: 'car' is not a label with a colour"],
    [{ 'labelmap.txt': 'car:1,2,300::' }, "labelmap.txt, line 1: '1,2,300' is not a colour"],
    [
      { 'ImageSets/Main/car_train.txt': 'a yes' },
      "ImageSets/Main/car_train.txt: 'a yes' is not an image followed by 1, 0 or -1",
    ],
    [
      { 'SegmentationClass/a.png': png(3, 3, [128, 0, 0]) },
      'SegmentationClass/a.png: the mask has 3 x 3 pixels, but the image has 64 x 48',
    ],
    [
      { 'SegmentationClass/a.png': png(64, 48, [1, 2, 3]) },
      "SegmentationClass/a.png: labelmap.txt has no label with the colour '1,2,3'",
    ],
    [
      { 'SegmentationClass/a.png': png(64, 48, [128, 0, 0]).subarray(0, 60) },
      'SegmentationClass/a.png: the image is damaged',
    ],
    [
      { 'SegmentationObject/a.png': 'x' },
      'SegmentationObject/a.png: the classes of its objects, SegmentationClass/a.png, are missing',
    ],
  ])('reports a fault: %j', async (files, message) => {
    await expect(read(files)).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('rejects images that the task does not have', async () => {
    const files = {
      'ImageSets/Main/train.txt': 'z\n',
      'Annotations/z.xml': `<annotation>${object('car', '1')}</annotation>`,
    };
    await expect(read(files)).rejects.toThrow("Could not match item id: 'z' with any task frame");
  });

  it('leaves out the outlines of objects in the original dataset', async () => {
    const { shapes } = await read({ 'SegmentationClass/a.png': png(64, 48, [128, 0, 0, 224, 224, 192]) });
    expect(shapes.map(({ points }) => points)).toEqual([[0, 1, 0, 0, 0, 0]]);
  });
});

describe('masks of a label called background', () => {
  it.each([
    { exporter: vocExport, importer: vocImport },
    { exporter: segmentationMaskExport, importer: segmentationMaskImport },
  ])('come back if the archive has objects, but not otherwise', async ({ exporter, importer }) => {
    const labels = [plainLabel(1, 'car'), plainLabel(2, 'background')];
    const points = [0, 4, 1, 1, 2, 2];
    const files = await exported(exporter, { shapes: [shapeOf('mask', points)] }, { ...datasetOf(testTask), labels });
    expect((await imported(importer, files, { ...testTarget, labels })).shapes).toMatchObject([
      { label_id: 2, points },
    ]);
    expect((await imported(importer, files, { ...testTarget, labels: [plainLabel(1, 'car')] })).shapes).toEqual([]);
    files.files.delete('SegmentationObject/a.png');
    expect((await imported(importer, files, { ...testTarget, labels })).shapes).toEqual([]);
  });
});

describe('Segmentation mask import', () => {
  it('rejects archives without lists of images', async () => {
    await expect(imported(segmentationMaskImport, MemoryFiles.of({ 'notes/readme.md': '' }))).rejects.toThrow(
      'Dataset must contain a file: "ImageSets/Segmentation/*.txt"',
    );
  });

  it('lists the labels of the label map', async () => {
    const labels = await segmentationMaskImport.labels?.(MemoryFiles.of({ 'labelmap.txt': LABEL_MAP }));
    expect(labels?.map(({ name }) => name)).toEqual(['background', 'car']);
  });
});
