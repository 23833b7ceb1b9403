import { describe, expect, it } from '@jest/globals';
import { encodePng } from './items/png.js';
import { imported, MemoryFiles, testTarget, testTask } from '../../../../test/support/datasets.js';
import type { ImportTarget } from './format.js';
import { ImportNotes } from './import-notes.js';
import { importFormats } from './registry.js';

/** Writes the ids of images and categories in their lists as texts, or those in annotations. */
function ids(inLists: boolean): { readonly listed: unknown; readonly referred: unknown } {
  return inLists ? { listed: '1', referred: 1 } : { listed: 1, referred: '1' };
}

async function filesOf(format: string, { listed, referred }: ReturnType<typeof ids>): Promise<MemoryFiles> {
  const categories = [{ id: listed, name: 'car' }];
  const images = [{ id: listed, file_name: 'a.jpg' }];
  const references = { image_id: referred, category_id: referred };
  if (format !== 'COCO Panoptic 1.0')
    return MemoryFiles.of({
      'a.json': JSON.stringify({ categories, images, annotations: [{ ...references, bbox: [1, 2, 3, 4] }] }),
    });
  const annotation = { image_id: referred, file_name: 'a.png', segments_info: [{ id: 255, category_id: referred }] };
  const data = Buffer.alloc(64 * 48 * 3);
  data[0] = 255;
  return MemoryFiles.of({
    'panoptic_a.json': JSON.stringify({ categories, images, annotations: [annotation] }),
    'panoptic_a/a.png': await encodePng({ width: 64, height: 48, channels: 3, data }),
  });
}

async function read(format: string, files: MemoryFiles, target: ImportTarget = testTarget) {
  const importer = importFormats.find(format);
  if (importer === undefined) throw new Error(`There is no format ${format}`);
  return imported(importer, files, target);
}

const formats = ['COCO 1.0', 'COCO Keypoints 1.0', 'COCO Panoptic 1.0'];

describe('ids of COCO', () => {
  it.each(formats.flatMap((format) => [true, false].map((inLists) => ({ format, inLists }))))(
    '$format: are found whether they are numbers or texts (texts in lists: $inLists)',
    async ({ format, inLists }) => {
      const { shapes } = await read(format, await filesOf(format, ids(inLists)));
      expect(shapes).toMatchObject([{ frame: testTask.frames[0]?.frame, label_id: 1 }]);
    },
  );

  it.each(formats)('%s: are refused if one is listed for two images, as a number and as a text', async (format) => {
    const images = [
      { id: 1, file_name: 'a.jpg' },
      { id: '1', file_name: 'b.jpg' },
    ];
    const file = JSON.stringify({ categories: [{ id: 1, name: 'car' }], images, annotations: [] });
    const files = MemoryFiles.of({ 'panoptic_a.json': file });
    await expect(read(format, files)).rejects.toThrow("is listed for 'a.jpg' and for 'b.jpg'");
  });

  it('of labels in Datumaro may be texts', async () => {
    const annotations = [{ type: 'bbox', label_id: '0', bbox: [1, 2, 3, 4] }];
    const categories = { label: { labels: [{ name: 'car' }] } };
    const files = MemoryFiles.of({ 'a.json': JSON.stringify({ categories, items: [{ id: 'a', annotations }] }) });
    expect((await read('Datumaro 1.0', files)).shapes).toMatchObject([{ label_id: 1 }]);
  });
});

describe('captions', () => {
  it.each(['COCO 1.0', 'COCO Keypoints 1.0'])('%s: are left out and reported', async (format) => {
    const notes = new ImportNotes(false);
    const file = { images: [{ id: 1, file_name: 'a.jpg' }], annotations: [{ id: 1, image_id: 1, caption: 'A car.' }] };
    await read(format, MemoryFiles.of({ 'captions_val.json': JSON.stringify(file) }), { ...testTarget, notes });
    const entry = { kind: 'annotation', name: 'caption', count: 1, location: 'captions_val.json, annotations[0]' };
    expect(notes.skipped).toEqual([{ ...entry, reason: 'captions are not supported' }]);
  });
});
