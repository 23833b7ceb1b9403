import { describe, expect, it } from '@jest/globals';
import { parquetReadObjects } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
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
    [line({ tags: [true] }), 'a tag is not a text'],
    [line({ tags: [7] }), 'tags[0]: 7 is the number of a class, but the archive does not name the classes'],
    [line({ tags: 'car' }), 'tags is not a list'],
    [line({ objects: { category: [true], bbox: [[1, 1, 1, 1]] } }), 'line 1, objects[0]: category is not a text'],
    [line({ objects: { category: [1], bbox: [[1, 1, 1, 1]] } }), 'line 1, category[0]: 1 is the number of a class'],
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

describe('Class numbers of Hugging Face', () => {
  const names = ['car', 'person & "friend"'];
  const label = { names, _type: 'ClassLabel' };
  const row = { file_name: 'a.jpg', tags: [0], objects: { category: [1, 0], bbox: [[1, 2, 3, 4], [5, 6, 7, 8]] } }; // prettier-ignore
  const inJson = {
    tags: { feature: label, _type: 'List' },
    objects: { bbox: { _type: 'List' }, category: { feature: label, _type: 'List' } },
  };
  const card = `---
license: mit
dataset_info:
  features:
  - name: tags
    sequence:
      class_label:
        names:
          '0': car
  - name: objects
    sequence:
    - name: bbox
      sequence: float32
    - name: category
      dtype:
        class_label:
          names:
            '0': car
            '1': person & "friend"
---
# Cars
`;

  it.each([
    ['README.md', card],
    ['dataset_info.json', JSON.stringify({ features: inJson })],
    ['x/dataset_infos.json', JSON.stringify({ default: { features: { ...inJson, objects: { feature: { category: label }, _type: 'Sequence' } } } })], // prettier-ignore
  ])('become the names in %s', async (path, text) => {
    const files = MemoryFiles.of({ 'metadata.jsonl': JSON.stringify(row), [path]: text });
    const found = await imported(imageFolderImport, files);
    expect(found).toMatchObject({ tags: [{ label_id: 1 }], shapes: [{ label_id: 2 }, { label_id: 1 }] });
    expect(await imageFolderImport.labels?.(files)).toMatchObject(names.map((name) => ({ name })));
  });

  it("become the names in the metadata of a Parquet file's schema", async () => {
    const files = MemoryFiles.of({
      'metadata.parquet': await numberedParquet(JSON.stringify({ info: { features: inJson } })),
    });
    expect(await imported(parquetImport, files)).toMatchObject({ tags: [{ label_id: 2 }, { label_id: 1 }] });
    const unnamed = MemoryFiles.of({ 'metadata.parquet': await numberedParquet('{}') });
    await expect(imported(parquetImport, unnamed)).rejects.toThrow('row 0, tags[0]: 1 is the number of a class');
  });

  it.each([
    ['README.md', '---\ndataset_info: [\n---\n', 'README.md: the file is not YAML'],
    ['dataset_info.json', JSON.stringify({ features: { tags: { names: ['car'], _type: 'ClassLabel' } } }), 'category[0]: 1 is the number'], // prettier-ignore
    ['dataset_info.json', JSON.stringify({ features: { ...inJson, objects: { category: { names: ['car'], _type: 'ClassLabel' } } } }), 'there is no class 1: the archive names 1 classes'], // prettier-ignore
    ['README.md', '# Without metadata', 'tags[0]: 0 is the number of a class'],
  ])('are rejected if %s does not name them', async (path, text, message) => {
    const files = MemoryFiles.of({ 'metadata.jsonl': JSON.stringify(row), [path]: text });
    await expect(imported(imageFolderImport, files)).rejects.toThrow(message);
  });
});

/** A file with an image that has the tags 1 and 0. */
async function numberedParquet(huggingface: string): Promise<Buffer> {
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: [
      { name: 'schema', num_children: 2 },
      { name: 'file_name', repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
      { name: 'tags', repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', repetition_type: 'OPTIONAL', type: 'INT64' },
    ],
    kvMetadata: [{ key: 'huggingface', value: huggingface }],
  });
  const columnData = [
    { name: 'file_name', data: ['a.jpg'] },
    { name: 'tags', data: [[1n, 0n]] },
  ];
  await parquet.write({ columnData, rowGroupSize: 1 });
  await parquet.finish();
  return Buffer.from(writer.getBytes());
}

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
