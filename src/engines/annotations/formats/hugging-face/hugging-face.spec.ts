import { describe, expect, it } from '@jest/globals';
import { parquetReadObjects } from 'hyparquet';
import { datasetOf, exported, imported, MemoryFiles, shapeOf, testTask, trackOf } from '../../../../../test/support/datasets.js'; // prettier-ignore
import { imageFolderExport, parquetExport } from './export.js';
import { imageFolderImport, parquetImport } from './import.js';

const shapes = [
  shapeOf('rectangle', [1, 2, 5, 8], {
    label_id: 1,
    source: 'file',
    rotation: 30,
    z_order: 2,
    attributes: [
      { spec_id: 11, value: 'bmw "x"' },
      { spec_id: 12, value: 'true' },
    ],
  }),
  shapeOf('mask', [1, 3, 2, 4, 3, 5], { source: 'file', frame: 2 }),
  shapeOf('polygon', [1, 1, 5, 5, 1, 5], { source: 'file', frame: 2, group: 1 }),
  shapeOf('ellipse', [5, 5, 7, 2], { source: 'file', frame: 2, group: 1, occluded: true }),
];
const tags = [{ id: null, frame: 1, label_id: 2, group: 0, source: 'file', attributes: [] }];

describe.each([
  ['ImageFolder', imageFolderExport, imageFolderImport],
  ['Parquet', parquetExport, parquetImport],
])('Hugging Face %s', (_, format, reader) => {
  it('round-trips shapes with attributes, layers and groups, tags and tracks', async () => {
    const tracks = [
      trackOf(
        [
          { frame: 1, points: [1, 1, 9, 9] },
          { frame: 3, points: [3, 1, 11, 9], occluded: true },
          { frame: 5, points: [3, 1, 11, 9], occluded: true, outside: true },
        ],
        { source: 'file' },
      ),
    ];
    const data = await imported(reader, await exported(format, { shapes, tags, tracks }));
    expect(data).toMatchObject({ shapes, tags, tracks });
  });

  it('has a file for each subset, next to its images', async () => {
    const dataset = datasetOf({ ...testTask, subset: 'train' });
    const { paths } = await exported(format, {}, dataset);
    expect(paths).toEqual([expect.stringMatching(/^data\/train\/metadata\.(?:jsonl|parquet)$/)]);
    const [frame] = testTask.frames;
    if (frame === undefined) throw new Error('no frame');
    const [own] = dataset.tasks;
    expect(format.imagePath(own?.frames[0] ?? frame, own ?? testTask, dataset)).toBe('data/train/a.jpg');
    expect(reader.imageAt('x/data/train/sub/c.jpg')).toEqual({ subset: 'train', name: 'sub/c.jpg' });
    expect(reader.imageAt('test/c.jpg')).toEqual({ subset: 'test', name: 'c.jpg' });
    expect(reader.imageAt('c.jpg')).toEqual({ subset: 'default', name: 'c.jpg' });
  });

  it('finds labels and attributes', async () => {
    expect(await reader.labels?.(await exported(format, { shapes, tags }))).toMatchObject([
      { name: 'car', attributes: [{ name: 'model' }, { name: 'parked', input_type: 'checkbox' }] },
      { name: 'person & "friend"' },
    ]);
  });

  it('rejects an archive without metadata', async () => {
    await expect(imported(reader, MemoryFiles.of({ 'a.txt': '' }))).rejects.toThrow('Dataset must contain a file');
  });
});

describe('Hugging Face ImageFolder', () => {
  const line = (row: object): string => JSON.stringify({ file_name: 'a.jpg', ...row });

  it('reads boxes as other tools write them', async () => {
    const row = { objects: { bbox: [[1, 2, 3, 4]], categories: ['car'] } };
    const { shapes: found } = await imported(imageFolderImport, MemoryFiles.of({ 'metadata.jsonl': line(row) }));
    expect(found).toMatchObject([{ label_id: 1, type: 'rectangle', points: [1, 2, 4, 6] }]);
  });

  it.each([
    ['{', 'metadata.jsonl, line 1: this is not JSON'],
    ['\n[]', 'line 2: this is not an object'],
    ['{"file_name":7}', 'line 1: file_name is not a text'],
    [line({ file_name: 'z.jpg', tags: ['car'] }), "Could not match item id: 'z'"],
    [line({ tags: ['x'] }), "line 1: there is no label 'x'"],
    [line({ tags: [7] }), 'a tag is not a text'],
    [line({ tags: 'car' }), 'tags is not a list'],
    [line({ objects: { category: [1], bbox: [[1, 1, 1, 1]] } }), 'line 1, objects[0]: category is not a text'],
    [line({ objects: { category: ['car'] } }), 'objects[0]: bbox is not a list of numbers'],
    [line({ objects: { category: ['car'], bbox: [[1, 2, 3]] } }), 'bbox does not have 4 numbers'],
    [line({ objects: { category: ['car'], bbox: [[1, 2, 3, 'x']] } }), 'bbox is not a list of numbers'],
    [line({ objects: { category: ['car'], points: [[1]], type: ['cube'] } }), 'there is no type "cube" of objects'],
    [line({ objects: { category: ['car'], points: [[1, 2]], type: ['polygon'] } }), 'invalid length'],
    [line({ objects: { category: ['car'], points: [[1, 2, 3, 4]], attributes: ['{'] } }), 'attributes are not a JSON'],
  ])('rejects %s', async (text, message) => {
    const files = MemoryFiles.of({ 'metadata.jsonl': text });
    await expect(imported(imageFolderImport, files)).rejects.toThrow(message);
    await expect(imported(imageFolderImport, files)).rejects.toMatchObject({ name: 'FormatError' });
  });
});

describe('Hugging Face Parquet', () => {
  it('writes many images in groups, as lists that every reader understands', async () => {
    const frames = Array.from({ length: 1203 }, (_, frame) => ({ frame, number: frame, name: `${frame}.jpg`, width: 64, height: 48 })); // prettier-ignore
    const boxes = [0, 1, 1202].map((frame) => shapeOf('rectangle', [1, 1, 5, 5], { frame, source: 'file' }));
    const files = await exported(parquetExport, { shapes: boxes }, datasetOf({ ...testTask, frames }));
    const bytes = files.files.get('data/default/metadata.parquet') ?? Buffer.alloc(0);
    const rows = await parquetReadObjects({ file: Uint8Array.from(bytes).buffer });
    expect(rows).toHaveLength(1203);
    expect(rows[1202]).toMatchObject({ file_name: '1202.jpg', objects: { bbox: [[1, 1, 4, 4]] } });
    const target = { labels: datasetOf(testTask).labels, frames, mode: 'annotation' as const };
    expect((await imported(parquetImport, files, target)).shapes).toEqual(boxes);
  });

  it.each([
    ['', 'metadata.parquet: this is not a Parquet file'],
    ['PAR1 but nothing else', 'this is not a Parquet file'],
    ['PAR1....\u00ff\u00ff\u00ff\u007fPAR1', 'this is not a Parquet file'],
  ])('rejects %j', async (text, message) => {
    const files = MemoryFiles.of({ 'metadata.parquet': Buffer.from(text, 'latin1') });
    await expect(imported(parquetImport, files)).rejects.toThrow(message);
  });

  it('rejects files that are cut or damaged', async () => {
    const files = await exported(parquetExport, { shapes });
    const whole = files.files.get('data/default/metadata.parquet') ?? Buffer.alloc(0);
    const damaged = Buffer.from(whole).fill(0xff, 4, 200);
    for (const content of [whole.subarray(0, whole.length - 9), damaged]) {
      const broken = MemoryFiles.of({ 'data/default/metadata.parquet': content });
      await expect(imported(parquetImport, broken)).rejects.toMatchObject({ name: 'FormatError' });
    }
  });
});
