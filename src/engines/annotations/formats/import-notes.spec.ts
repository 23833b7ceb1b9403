import { describe, expect, it } from '@jest/globals';
import { exported, imported, MemoryFiles, shapeOf, testTarget, testTask, datasetOf, trackOf } from '../../../../test/support/datasets.js'; // prettier-ignore
import { FormatError } from './format.js';
import { ImportNotes } from './import-notes.js';
import { exportFormats, importFormats } from './registry.js';

const FORMATS = [
  'Cityscapes 1.0',
  'Open Images V6 1.0',
  'LabelMe 3.0',
  'Hugging Face ImageFolder 1.0',
  'COCO 1.0',
  'CVAT for images 1.1',
  'Datumaro 1.0',
  'KITTI 1.0',
  'PASCAL VOC 1.1',
  'YOLO 1.1',
  'MOT 1.1',
  'Ultralytics YOLO Detection 1.0',
];

describe('imports of files that match in part', () => {
  const found = <Format>(format: Format | undefined): Format => {
    if (format === undefined) throw new Error('no such format');
    return format;
  };
  const importer = (name: string) => found(importFormats.find(name.replace(/^CVAT for images/, 'CVAT')));
  const archive = (name: string): Promise<MemoryFiles> =>
    exported(
      found(exportFormats.find(name)),
      {
        shapes: [
          shapeOf('rectangle', [1, 1, 5, 5], { label_id: 1 }),
          shapeOf('rectangle', [2, 2, 6, 6], { label_id: 2 }),
          shapeOf('rectangle', [1, 1, 5, 5], { label_id: 1, frame: 1 }),
        ],
      },
      datasetOf({ ...testTask, frames: testTask.frames.slice(0, 2) }),
    );
  /** Without the second label and the second frame. */
  const part = {
    ...testTarget,
    labels: testTarget.labels.filter(({ id }) => id !== 2),
    frames: testTask.frames.slice(0, 1),
  };

  it.each(FORMATS)('leave the rest out and note it: %s', async (name) => {
    const files = await archive(name);
    const notes = new ImportNotes(true);
    const { shapes, tracks } = await imported(importer(name), files, { ...part, notes });
    expect([...shapes, ...tracks]).toMatchObject([{ frame: 0, label_id: 1 }]);
    // Attributes that the format gives to every object are not noted.
    expect(notes.skipped.map(({ kind }) => kind).toSorted()).toEqual(['frame', 'label']);
    expect(notes.skipped.find(({ kind }) => kind === 'frame')).toMatchObject({
      count: 1,
      location: expect.stringMatching(/\.(?:txt|xml|json|png|csv|jsonl)\b/),
    });
    expect(notes.skipped.find(({ kind }) => kind === 'label')).toMatchObject({
      name: 'person & "friend"',
      count: 1,
      location: expect.any(String),
    });
  });

  it.each(FORMATS)('fail unless the rest is left out: %s', async (name) => {
    const files = await archive(name);
    await expect(imported(importer(name), files, part)).rejects.toThrow(FormatError);
    await expect(imported(importer(name), files, { ...part, notes: new ImportNotes(false) })).rejects.toThrow(
      FormatError,
    );
  });

  it('note attributes that a label does not have, but not those of tools', async () => {
    const notes = new ImportNotes(false);
    const labels = testTarget.labels.map((label) => ({ ...label, attributes: [] }));
    await imported(importer('Datumaro 1.0'), await archive('Datumaro 1.0'), { ...testTarget, labels, notes });
    expect(notes.skipped.map(({ kind, name, count }) => [kind, name, count])).toEqual([
      ['attribute', 'car/model', 2],
      ['attribute', 'car/parked', 2],
    ]);
  });

  it('leave out keyframes of tracks on unknown frames', async () => {
    const keyframes = [0, 1].map((frame) => ({ frame, points: [frame, 1, 5, 5] }));
    const files = await exported(found(exportFormats.find('CVAT for video 1.1')), { tracks: [trackOf(keyframes)] });
    const notes = new ImportNotes(true);
    const { tracks } = await imported(importer('CVAT 1.1'), files, { ...testTarget, frames: part.frames, notes });
    expect(tracks.map(({ shapes }) => shapes.map(({ frame }) => frame))).toEqual([[0]]);
    expect(notes.skipped).toMatchObject([
      { kind: 'frame', name: '1', location: expect.stringMatching(/^annotations\.xml, line \d+$/) },
    ]);
  });

  it('list at most a hundred entries', () => {
    const notes = new ImportNotes(true);
    for (let at = 0; at < 120; at++) notes.skip('label', `label ${at}`, null);
    notes.skip('label', 'label 0', null);
    expect([notes.skipped.length, notes.skipped[0]?.count, notes.unlisted]).toEqual([100, 2, 20]);
  });
});
