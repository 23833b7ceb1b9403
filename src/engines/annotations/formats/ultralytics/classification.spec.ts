import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  datasetOf,
  exported,
  exportOptions,
  imported,
  MemoryFiles,
  sourceOf,
  testTarget,
  testTask,
} from '../../../../../test/support/datasets.js';
import type { Tag } from '../../../../shared/annotations/model.js';
import { classificationExport, classificationImport } from './classification.js';

const tagOf = (frame: number, label_id: number): Tag => ({
  id: null,
  label_id,
  frame,
  group: 0,
  source: 'file',
  attributes: [],
});

describe('Ultralytics YOLO Classification', () => {
  it('round-trips tags', async () => {
    const pairs = fc.uniqueArray(fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 3 })), {
      selector: String,
      maxLength: 9,
    });
    await fc.assert(
      fc.asyncProperty(pairs, async (found) => {
        const tags = found.toSorted(([a], [b]) => a - b).map(([frame, label]) => tagOf(frame, label));
        const data = await imported(classificationImport, await exported(classificationExport, { tags }));
        const form = (list: readonly Tag[]): string[] => list.map(({ frame, label_id }) => `${frame} ${label_id}`);
        expect(form(data.tags)).toEqual(form(tags));
      }),
      { numRuns: 40 },
    );
  });

  it('has a copy of the image for each label, and numbers equal names', async () => {
    const files = new MemoryFiles();
    const frames = testTask.frames.map((frame) => ({
      ...frame,
      name: frame.frame < 3 ? `${frame.frame}/x.JPG` : frame.name,
    }));
    const dataset = datasetOf({ ...testTask, subset: 'Train', frames });
    const source = sourceOf({ tags: [tagOf(0, 1), tagOf(0, 3), tagOf(1, 1), tagOf(1, 1)] });
    const paths = await classificationExport.write(dataset, source, files, exportOptions(true));
    expect(frames.map((frame) => paths?.(frame))).toEqual([
      ['Train/car/x.jpg', 'Train/body/x.jpg'],
      ['Train/car/x.0.jpg'],
      ['Train/no_label/x.jpg'],
      ['Train/no_label/d 1.png'],
      ['Train/no_label/e.v2.jpg'],
      ['Train/no_label/f.jpg'],
    ]);
    const labels = JSON.parse(files.text('Train/labels.json')) as Record<string, unknown>;
    expect(labels['0/x']).toEqual({ labels: ['car', 'body'], path: 'body/x.jpg' });
    expect((await classificationImport.labels?.(files))?.map(({ name }) => name)).toEqual(['car', 'body']);
    // The project has all copies.
    const names = ['car/x.jpg', 'body/x.jpg', 'car/x.0.jpg', 'no_label/x.jpg'];
    const copies = names.map((name, frame) => ({ ...frames[0], name, frame, number: frame, width: 64, height: 48 }));
    const { tags } = await imported(classificationImport, files, { ...testTarget, frames: copies, subset: 'Train' });
    const found = tags.map(({ frame, label_id }) => `${names[frame]} ${label_id}`);
    expect(found.toSorted()).toEqual(['body/x.jpg 1', 'body/x.jpg 3', 'car/x.0.jpg 1', 'car/x.jpg 1', 'car/x.jpg 3']);
  });

  it('reads folders of images, and lists of their names', async () => {
    const files = MemoryFiles.of({
      'train/car/a.jpg': '',
      'train/car/sub/c.jpg': '',
      'train/body/a.jpg': '',
      'train/no_label/b.jpg': '',
      'train/body/labels.json': 'f.jpg\n',
      'val/body/b.jpg': '',
      'readme.md': '',
    });
    const { tags } = await imported(classificationImport, files);
    expect(tags.map(({ frame, label_id }) => [frame, label_id])).toEqual([[0, 1], [2, 1], [0, 3], [5, 3], [1, 3]]); // prettier-ignore
    expect((await imported(classificationImport, files, { ...testTarget, subset: 'val' })).tags).toHaveLength(1);
    expect(classificationImport.imageAt('train/car/sub/c.jpg')).toEqual({ subset: 'train', name: 'car/sub/c.jpg' });
    expect(classificationImport.imageAt('train/labels.json')).toBeUndefined();
    expect((await imported(classificationImport, MemoryFiles.of({ 'notes/readme.md': '' }))).tags).toEqual([]);
  });

  it('reads archives in a folder', async () => {
    const files = MemoryFiles.of({
      'x/val/labels.json': ' {"a":{"labels":["car"],"path":"car/a.jpg"}}',
      'x/val/car/a.jpg': '',
    });
    expect((await imported(classificationImport, files)).tags).toMatchObject([{ frame: 0, label_id: 1 }]);
    expect(await classificationImport.subsets?.(files)).toEqual(new Map([['val/labels', 'val'], ['val/car/a', 'val']])); // prettier-ignore
  });

  it.each([
    ['{"a":{"labels":["car"]}', 'a/labels.json: this is not JSON with lists: it ends early'],
    ['{"a":{"labels":["car"', 'a/labels.json: this is not JSON with lists: it ends early'],
    ['{"a":{"labels":[NaN]}}', "a/labels.json, 'a', character 12: NaN is not JSON. Write a number or null"],
    ['{"a":{"labels":[1]}}', "a/labels.json, 'a': a label is not a text"],
    ['{"a":{"labels":7}}', "a/labels.json, 'a': labels is not a list"],
    ['{"a":[]}', "a/labels.json, 'a': this is not an object"],
    ['{"a":{"labels":["car"],"path":1e999}}', "a/labels.json, 'a': path is not a text"],
    ['{"a":{"labels":["tree"]}}', "a/labels.json, 'a': there is no label 'tree' to import it to"],
    [
      '{"../../zz":{"labels":["car"]}}',
      "cvat.apps.dataset_manager.bindings.CvatImportError: Could not match item id: '../../zz' with any task frame",
    ],
    [Buffer.from('{"\xff', 'latin1'), 'a/labels.json: the text is not UTF-8'],
  ])('reports the fault in %j', async (text, message) => {
    const outcome = imported(classificationImport, MemoryFiles.of({ 'a/labels.json': text }));
    await expect(outcome).rejects.toMatchObject({ name: 'FormatError', message });
  });
});
