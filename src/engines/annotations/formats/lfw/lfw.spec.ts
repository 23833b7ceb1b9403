import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  datasetOf,
  exported,
  imported,
  MemoryFiles,
  shapeOf,
  testLabels,
  testTarget,
  testTask,
} from '../../../../../test/support/datasets.js';
import type { Tag } from '../../../../shared/annotations/model.js';
import type { DatasetLabel } from '../dataset.js';
import { lfwExport } from './export.js';
import { lfwImport } from './import.js';

const PAIRS = 'default/annotations/pairs.txt';
const pairs = { mutable: false, inputType: 'text', defaultValue: '', values: [''] };
const ann: DatasetLabel = {
  id: 20,
  name: 'Ann_Lee',
  color: '#303030',
  type: 'any',
  parentId: null,
  svg: '',
  attributes: [
    { ...pairs, id: 21, name: 'positive_pairs' },
    { ...pairs, id: 22, name: 'negative_pairs' },
  ],
};
const labels = [...testLabels, ann];
const dataset = { ...datasetOf(testTask), labels };
const target = { ...testTarget, labels };
const tagOf = (frame: number, label_id: number, attributes: Tag['attributes'] = []): Tag => ({ id: null, label_id, frame, group: 0, source: 'file', attributes }); // prettier-ignore
const read = (text: string, more: Record<string, string> = {}) =>
  imported(lfwImport, MemoryFiles.of({ [PAIRS]: text, ...more }), target);

describe('LFW', () => {
  it('round-trips the tag, its pairs and the landmarks of images', async () => {
    const image = fc.constantFrom('b', 'sub/c', 'Ann_Lee_0007');
    const item = fc.record({
      frame: fc.constantFrom(0, 1, 2, 5),
      same: fc.uniqueArray(image.map((id) => `Ann_Lee/${id}`)),
      other: fc.uniqueArray(fc.oneof(image, fc.constant('body/d 1'))),
      points: fc.array(fc.integer({ min: 0, max: 4000 }), { minLength: 6, maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(item, { selector: ({ frame }) => frame }), async (list) => {
        const sorted = list.toSorted((a, b) => a.frame - b.frame);
        const tags = sorted.map(({ frame, same, other }) =>
          tagOf(frame, 20, [
            { spec_id: 21, value: same.join(',') },
            { spec_id: 22, value: other.join(',') },
          ]),
        );
        const shapes = sorted.map(
          ({ frame, points }) =>
          shapeOf('points', points.map((value) => value / 100), { frame, label_id: 20, source: 'file' }), // prettier-ignore
        );
        const frames = testTask.frames.map((frame) => ({ ...frame, name: frame.frame === 5 ? 'Ann_Lee_0007.jpg' : frame.name })); // prettier-ignore
        const files = await exported(lfwExport, { tags, shapes }, { ...dataset, tasks: [{ ...testTask, frames }] });
        const data = await imported(lfwImport, files, { ...target, frames });
        const own = data.tags.filter(({ frame, label_id }) => label_id === 20 && sorted.some((each) => each.frame === frame)); // prettier-ignore
        expect(own.toSorted((a, b) => a.frame - b.frame)).toEqual(tags);
        expect(data.shapes).toEqual(shapes);
      }),
      { numRuns: 40 },
    );
  });

  it('writes pairs, people and images without pairs', async () => {
    const frames = testTask.frames.map((frame) => ({ ...frame, name: frame.frame === 0 ? 'Ann_Lee_0001.jpg' : frame.name })); // prettier-ignore
    const attributes = [
      { spec_id: 21, value: 'Ann_Lee/Ann_Lee_0002, x' },
      { spec_id: 22, value: 'body/b,b' },
    ];
    const tags = [tagOf(0, 20, attributes), tagOf(1, 3), tagOf(2, 20)];
    const files = await exported(lfwExport, { tags }, { ...dataset, tasks: [{ ...testTask, frames }] });
    expect(files.text(PAIRS).split('\n').slice(0, 7)).toEqual([
      'Ann_Lee\t1\t2',
      'Ann_Lee\t1\tx',
      'Ann_Lee\t1\tbody\tb',
      'Ann_Lee\t1\t-\tb',
      'body/b',
      'Ann_Lee/sub/c',
      'd 1',
    ]);
    expect(files.text('default/annotations/people.txt')).toContain('body\t1\n');
    expect(files.text('default/annotations/people.txt')).toContain('Ann_Lee\t2\n');
  });

  it('reads the lists of the original dataset, and lists labels and images', async () => {
    const files = MemoryFiles.of({ 'annotations/pairs.txt': '10\t300\nAnn\t1\t4\nAnn\t1\tBob\t2\n' });
    const found = await lfwImport.labels?.(files);
    expect(found?.map(({ name }) => name)).toEqual(['Ann', 'Bob']);
    expect(found?.[0]?.attributes?.map(({ name }) => name)).toEqual(['positive_pairs', 'negative_pairs']);
    expect(lfwImport.imageAt('images/Ann/Ann_0001.jpg')).toEqual({ subset: 'default', name: 'Ann/Ann_0001.jpg' });
    expect(lfwImport.imageAt('data/train/images/a.jpg')).toEqual({ subset: 'train', name: 'a.jpg' });
    expect(lfwImport.imageAt('annotations/a.jpg')).toBeUndefined();
  });

  it.each([
    ['a\tb', `${PAIRS}, line 1: 'a?b' has neither one column, nor three or four`],
    ['tree\ta\tb', `${PAIRS}, line 1: there is no label 'tree' to import it to`],
    ['car/zz', "cvat.apps.dataset_manager.bindings.CvatImportError: Could not match item id: 'car/zz' with any task frame"], // prettier-ignore
  ])('reports the fault in %j', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it.each([
    ['a.jpg\t1\tNaN', /line 1: 'a.jpg.*' is not an image with pairs of numbers$/],
    ['a.jpg\t1', /is not an image with pairs of numbers$/],
    ['b.jpg\t1\t2', /line 1: no tag and no folder tells the label of 'b'$/],
    ['car/zz.jpg\t1\t2', /Could not match item id: 'car\/zz'/],
  ])('reports the fault in the landmarks %j', async (text, message) => {
    const outcome = read('car/a', { 'default/annotations/landmarks.txt': text });
    await expect(outcome).rejects.toMatchObject({ name: 'FormatError', message: expect.stringMatching(message) });
  });

  it('rejects archives without lists', async () => {
    const outcome = imported(lfwImport, MemoryFiles.of({ 'pairs.txt': '' }), target);
    await expect(outcome).rejects.toThrow('must contain a file: "annotations/pairs.txt"');
  });
});
