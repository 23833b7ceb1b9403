import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  datasetOf,
  exported,
  exportOptions,
  imported,
  MemoryFiles,
  plainLabel,
  sourceOf,
  testTarget,
  testTask,
} from '../../../../../test/support/datasets.js';
import type { Tag } from '../../../../shared/annotations/model.js';
import { imageNetExport } from './export.js';
import { imageNetImport } from './import.js';

const tagOf = (frame: number, label_id: number): Tag => ({
  id: null,
  label_id,
  frame,
  group: 0,
  source: 'file',
  attributes: [],
});

/** Tags by frame and label, without repetitions. */
const tagLists = fc
  .uniqueArray(fc.tuple(fc.nat(5), fc.constantFrom(2, 3)), { selector: String, maxLength: 8 })
  .map((pairs) => pairs.toSorted(([a, x], [b, y]) => a - b || x - y).map(([frame, label]) => tagOf(frame, label)));

/** An export with an image for each path. */
async function withImages(tags: readonly Tag[], labels = testTarget.labels): Promise<MemoryFiles> {
  const files = new MemoryFiles();
  const dataset = { ...datasetOf(testTask), labels };
  const paths = await imageNetExport.write(dataset, sourceOf({ tags: [...tags] }), files, exportOptions(true));
  for (const frame of testTask.frames) {
    for (const path of paths?.(frame) ?? []) await files.addFile(path, Buffer.from('an image'));
  }
  return files;
}

describe('ImageNet', () => {
  it('round-trips tags, without images and with them', async () => {
    await fc.assert(
      fc.asyncProperty(tagLists, async (tags) => {
        const lists = await imported(imageNetImport, await exported(imageNetExport, { tags }));
        expect(lists.tags).toEqual(tags);
        const folders = await imported(imageNetImport, await withImages(tags));
        expect(new Set(folders.tags.map((tag) => JSON.stringify(tag)))).toEqual(
          new Set(tags.map((tag) => JSON.stringify(tag))),
        );
      }),
      { numRuns: 40 },
    );
  });

  it('has the image once for every label', async () => {
    const { paths } = await withImages([tagOf(0, 1), tagOf(0, 3), tagOf(2, 2)]);
    expect(paths.toSorted()).toEqual(['body/a.jpg', 'car/a.jpg', 'no_label/b.jpg', 'no_label/d 1.png', 'no_label/e.v2.jpg', 'no_label/f.jpg', 'person & "friend"/sub/c.jpg']); // prettier-ignore
  });

  it('reads labels whose names cannot be those of folders, and rejects two of one folder', async () => {
    const labels = [plainLabel(1, 'a/b'), plainLabel(2, '..'), plainLabel(3, '#c')];
    const files = await withImages([tagOf(0, 1), tagOf(1, 2), tagOf(2, 3)], labels);
    const { tags } = await imported(imageNetImport, files, { ...testTarget, labels });
    expect(tags.map(({ frame, label_id }) => [frame, label_id])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    await expect(withImages([], [...labels, plainLabel(4, 'a_b')])).rejects.toMatchObject({
      name: 'FormatError',
      message: "ImageNet 1.0 cannot have the label 'a_b', because images of the label 'a/b' are in the folder 'a_b'.",
    });
    await expect(withImages([], [plainLabel(4, 'no_label')])).rejects.toThrow(
      "ImageNet 1.0 cannot have the label 'no_label', because images without a label are in the folder 'no_label'.",
    );
  });

  it('quotes names with spaces', async () => {
    const files = await exported(imageNetExport, { tags: [tagOf(3, 2)] });
    expect(files.text('default.txt')).toContain('sub/c.jpg \n"d 1".png 1\n');
  });

  it('lists labels and images', async () => {
    const folders = MemoryFiles.of({ 'cat/a.jpg': '', 'no_label/b.jpg': '', 'dog/c.png': '', 'readme.md': '' });
    expect((await imageNetImport.labels?.(folders))?.map(({ name }) => name)).toEqual(['cat', 'dog']);
    const lists = MemoryFiles.of({ 'synsets.txt': 'cat\ndog\n', 'train.txt': '' });
    expect((await imageNetImport.labels?.(lists))?.map(({ name }) => name)).toEqual(['cat', 'dog']);
    expect(imageNetImport.imageAt('cat/a.jpg')).toEqual({ name: 'cat/a.jpg', subset: 'default' });
    expect(imageNetImport.imageAt('a.jpg')).toBeUndefined();
    expect(await imported(imageNetImport, MemoryFiles.of({ 'notes/readme.md': '' }))).toMatchObject({ tags: [] });
  });

  it.each([
    [{ 'a.txt': 'a.jpg 0' }, 'synsets.txt: the list of labels is missing'],
    [{ 'a.txt': 'a.jpg 0\nb.jpg 7', 'synsets.txt': 'car' }, 'a.txt, line 2: synsets.txt has no label 7'],
    [
      { 'a.txt': 'a.jpg x', 'synsets.txt': 'car' },
      "a.txt, line 1: 'a.jpg x' is not an image with the numbers of its labels",
    ],
    [{ 'a.txt': 'a.jpg 0', 'synsets.txt': 'tree' }, "a.txt, line 1: there is no label 'tree' to import it to"],
    [{ 'tree/a.jpg': '' }, "tree/a.jpg: there is no label 'tree' to import it to"],
  ])('reports the fault in %j', async (files, message) => {
    const outcome = imported(imageNetImport, MemoryFiles.of(files));
    await expect(outcome).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('rejects unknown images, and subsets with the name of the list of labels', async () => {
    const files = MemoryFiles.of({ 'car/zz.jpg': '' });
    await expect(imported(imageNetImport, files, testTarget)).rejects.toThrow("Could not match item id: 'car/zz'");
    const outcome = exported(imageNetExport, {}, datasetOf({ ...testTask, subset: 'synsets' }));
    await expect(outcome).rejects.toMatchObject({ name: 'FormatError' });
  });
});
