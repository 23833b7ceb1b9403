import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  datasetOf,
  exported,
  imported,
  MemoryFiles,
  testTarget,
  testTask,
} from '../../../../../test/support/datasets.js';
import type { Tag } from '../../../../shared/annotations/model.js';
import type { DatasetAttribute, DatasetLabel } from '../dataset.js';
import { marketExport } from './export.js';
import { marketImport } from './import.js';

const attribute = (id: number, name: string, inputType = 'number'): DatasetAttribute => ({
  id,
  name,
  inputType,
  mutable: false,
  defaultValue: inputType === 'checkbox' ? 'false' : '0',
  values: [],
});
const label: DatasetLabel = {
  id: 1,
  name: 'market-1501',
  color: '#202020',
  type: 'any',
  parentId: null,
  svg: '',
  attributes: [
    attribute(11, 'query', 'checkbox'),
    attribute(12, 'person_id'),
    attribute(13, 'camera_id'),
    attribute(14, 'frame_id'),
  ],
};
const dataset = { ...datasetOf(testTask), labels: [label] };
const tagOf = (frame: number, values: Record<number, string>): Tag => ({
  id: null,
  label_id: 1,
  frame,
  group: 0,
  source: 'file',
  attributes: Object.entries(values).map(([id, value]) => ({ spec_id: Number(id), value })),
});
const size = { width: 64, height: 48 };

/** A target with the images of an archive, as a project creates it. */
const targetOf = (paths: readonly string[]): typeof testTarget => ({
  ...testTarget,
  labels: [label],
  frames: paths.map((path, frame) => ({
    ...size,
    frame,
    number: frame,
    name: marketImport.imageAt(path)?.name ?? '',
  })),
});
const pathsIn = (files: MemoryFiles): string[] => files.text('images_default.txt').split('\n').filter(Boolean);

describe('Market-1501', () => {
  it('round-trips tags, with the images named after them', async () => {
    const tag = fc.record({ frame: fc.nat(5), person: fc.integer({ min: 1, max: 1500 }), camera: fc.nat(8), query: fc.boolean(), shot: fc.nat(9) }); // prettier-ignore
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(tag, { selector: ({ frame }) => frame }), async (list) => {
        const tags = list
          .toSorted((a, b) => a.frame - b.frame)
          .map(({ frame, person, camera, query, shot }) =>
            tagOf(frame, { 11: String(query), 12: String(person), 13: String(camera), 14: String(shot + 10 * frame) }),
          );
        const files = await exported(marketExport, { tags }, dataset);
        const data = await imported(marketImport, files, targetOf(pathsIn(files)));
        const values = ({ frame, attributes }: Tag): object => ({ frame, values: new Map(attributes.map(({ spec_id, value }) => [spec_id, value])) }); // prettier-ignore
        expect(data.tags.map(values)).toEqual(tags.map(values));
      }),
      { numRuns: 40 },
    );
  });

  it('names images after their only tag, and numbers them if they have no frame', async () => {
    const tags = [tagOf(0, { 12: '7' }), tagOf(1, { 12: '7' }), tagOf(2, { 12: '7', 13: '3', 11: 'true' }), tagOf(3, { 12: '0' }), tagOf(4, { 12: '5' }), tagOf(4, { 12: '6' })]; // prettier-ignore
    expect(pathsIn(await exported(marketExport, { tags }, dataset))).toEqual([
      'bounding_box_default/7_c1s1_000000_00.jpg',
      'bounding_box_default/7_c1s1_000001_00.jpg',
      'query/sub/7_c4s1_000002_00.jpg',
      'bounding_box_default/d 1.png',
      'bounding_box_default/e.v2.jpg',
      'bounding_box_default/f.jpg',
    ]);
  });

  it('reads the folders of the original dataset, and names after the numbers', async () => {
    const name = '0002_c1s2_000451_03.jpg';
    const files = MemoryFiles.of({ [`m/bounding_box_train/${name}`]: '', 'm/query/-1_c2s1_000001_00_a.jpg': '' });
    const frames = [name, '_a.jpg'].map((each, frame) => ({ ...size, frame, number: frame, name: each }));
    const { tags } = await imported(marketImport, files, { ...testTarget, labels: [label], frames });
    const values = tags.map(({ frame, attributes }) => [frame, ...attributes.map(({ value }) => value)]);
    expect(values).toEqual([
      [0, '2', '0', '451', 'false'],
      [1, '-1', '1', '1', 'true'],
    ]);
    expect(await marketImport.labels?.(files)).toMatchObject([{ name: 'market-1501', attributes: [{}, {}, {}, {}, { name: 'query', input_type: 'checkbox' }] }]); // prettier-ignore
    expect(marketImport.imageAt('m/query/x/a.jpg')).toEqual({ subset: 'query', name: 'x/a.jpg' });
    expect(marketImport.imageAt('other/a.jpg')).toBeUndefined();
  });

  it.each([
    [{ 12: 'a b' }, 'a b_c1s1_000000_00'],
    [{ 12: '1.5' }, '1.5_c1s1_000000_00'],
    [{ 12: '1_c1s1_1_1/../../..' }, '1_c1s1_1_1/../../.._c1s1_000000_00'],
    [{ 12: '7', 13: '-3' }, '7_c-2s1_000000_00'],
  ])('rejects the values %j, which no name of an image can have', async (values, name) => {
    const attributes = label.attributes.map((each) => ({ ...each, inputType: 'text' }));
    const labels = [{ ...label, attributes }];
    const outcome = exported(marketExport, { tags: [tagOf(0, values)] }, { ...dataset, labels });
    await expect(outcome).rejects.toMatchObject({
      name: 'FormatError',
      message: expect.stringContaining(`Market-1501 1.0 cannot call the image 'a' '${name}'.`),
    });
  });

  it('keeps the digits of long numbers', async () => {
    const name = '99999999999999999999_c1s1_000_01.jpg';
    const attributes = [attribute(1, 'person_id'), attribute(2, 'bbox_id'), attribute(3, 'frame_id')];
    const { tags } = await imported(marketImport, MemoryFiles.of({ [`query/${name}`]: '' }), {
      ...testTarget,
      labels: [{ ...label, attributes }],
      frames: testTask.frames.slice(0, 1).map((frame) => ({ ...frame, name })),
    });
    const values = tags[0]?.attributes.map(({ spec_id, value }) => [spec_id, value]) ?? [];
    expect(Object.fromEntries(values)).toMatchObject({ 1: '99999999999999999999', 2: '1', 3: '0' });
  });

  it.each([
    [{ 'images_x.txt': 'a.jpg' }, "images_x.txt, line 1: 'a.jpg' is not an image in bounding_box_… or query"],
    [{ 'images_x.txt': 'query/1_c1s1_1_1.jpg' }, /^cvat.*Could not match item id: '1_c1s1_1_1' with any task frame$/],
    [{ 'query/1_c1s1_1_1a.jpg': '' }, "query/1_c1s1_1_1a.jpg: there is no label 'market-1501' to import it to"],
    [{ 'a.txt': '' }, /^Failed to find dataset/],
  ])('reports the fault in %j', async (files, message) => {
    const outcome = imported(marketImport, MemoryFiles.of(files));
    const expected = { name: 'FormatError', message: typeof message === 'string' ? message : expect.stringMatching(message) }; // prettier-ignore
    await expect(outcome).rejects.toMatchObject(expected);
  });
});
