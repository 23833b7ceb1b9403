import { describe, expect, it } from '@jest/globals';
import { encode } from 'fast-png';
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
  trackOf,
} from '../../../../../test/support/datasets.js';
import { motsExport } from './export.js';
import { motsImport } from './import.js';

const target = { ...testTarget, masksToPolygons: true };
const png = (values: readonly number[], width = 64, height = 48): Uint8Array => {
  const data = new Uint16Array(width * height);
  data.set(values);
  return encode({ width, height, channels: 1, depth: 16, data });
};

describe('MOTS PNG', () => {
  it('round-trips tracks of rectangles, as polygons on every frame', async () => {
    const box = fc.record({ x: fc.nat(25), y: fc.nat(40), w: fc.integer({ min: 1, max: 6 }), frame: fc.nat(5) });
    await fc.assert(
      fc.asyncProperty(box, box, async (a, b) => {
        const tracks = [a, { ...b, x: b.x + 32 }].map(({ x, y, w, frame }) =>
          trackOf([{ frame, points: [x, y, x + w, y + 5] }], { label_id: 2 }),
        );
        const data = await imported(motsImport, await exported(motsExport, { tracks }), target);
        const form = (track: (typeof tracks)[number]): object => ({ label_id: 2, frame: track.frame });
        const byFrame = tracks.toSorted((left, right) => left.frame - right.frame);
        expect(data).toMatchObject({ shapes: [], tags: [], tracks: byFrame.map(form) });
        const points = data.tracks.flatMap(({ shapes }) => shapes.map(({ points: each }) => each.join(' ')));
        for (const { shapes } of tracks) {
          const [x = 0, y = 0, right = 0, bottom = 0] = shapes[0]?.points ?? [];
          expect(points).toContain([right, y, right, bottom, x, bottom, x, y].join(' '));
        }
      }),
      { numRuns: 25 },
    );
  });

  it('writes tracks only, and the labels of every subset', async () => {
    const files = await exported(
      motsExport,
      { shapes: [shapeOf('rectangle', [1, 1, 5, 5])], tracks: [trackOf([{ frame: 4 }, { frame: 5, outside: true }])] },
      datasetOf({ ...testTask, subset: 'Train' }),
    );
    expect(files.paths).toEqual(['Train/instances/labels.txt', 'Train/instances/e.v2.png']);
    expect(files.text('Train/instances/labels.txt')).toBe('car\nperson & "friend"\nbody\nhead\nhand');
  });

  it('rejects more tracks or labels than 16 bits can number', async () => {
    const tracks = Array.from({ length: 1001 }, () => trackOf([{ frame: 0, points: [0, 0, 2, 2] }]));
    const message = 'cannot express track 1000 of the label \'person & "friend"\'';
    await expect(exported(motsExport, { tracks })).rejects.toThrow(message);
    const labels = Array.from({ length: 70 }, (_, at) => testLabels.slice(1, 2).map((label) => ({ ...label, id: at + 1 }))).flat(); // prettier-ignore
    const outcome = exported(motsExport, { tracks: [trackOf([{}], { label_id: 70 })] }, { ...datasetOf(testTask), labels }); // prettier-ignore
    await expect(outcome).rejects.toMatchObject({ name: 'FormatError' });
  });

  it('starts a track for every further part of an object, and reads masks if asked to', async () => {
    const files = MemoryFiles.of({
      'instances/a.png': png([1001, 1001, 0, 1001]),
      'instances/b.png': png([1001]),
      'instances/labels.txt': 'car\n',
    });
    const { tracks } = await imported(motsImport, files, target);
    expect(tracks.map(({ shapes }) => shapes.map(({ frame, outside }) => (outside ? -frame : frame)))).toEqual([
      [0, 1, -2],
      [0, -1],
    ]);
    expect(tracks[0]).toMatchObject({ source: 'manual', group: 0, label_id: 1 });
    const masks = await imported(motsImport, files);
    expect(masks.shapes.map(({ type, points }) => [type, points])).toEqual([
      ['mask', [0, 2, 1, 1, 0, 0, 3, 0]],
      ['mask', [0, 1, 0, 0, 0, 0]],
    ]);
  });

  it('reads the labels of the challenge, subsets and images', async () => {
    const files = MemoryFiles.of({ 'data/0002/instances/a.png': png([10_000]) });
    expect((await motsImport.labels?.(files))?.map(({ name }) => name)).toEqual(['car', 'pedestrian', 'ignored']);
    expect(motsImport.imageAt('data/0002/images/a/b.jpg')).toEqual({ subset: '0002', name: 'a/b.jpg' });
    expect(motsImport.imageAt('instances/a.png')).toBeUndefined();
    await expect(imported(motsImport, files, target)).rejects.toThrow("there is no label 'ignored'");
    expect(await imported(motsImport, files, { ...target, subset: 'other' })).toMatchObject({ tracks: [] });
  });

  it.each([
    ['of another size', png([1001], 5, 5), 'instances/a.png: the mask has 5 x 5 pixels, but the image has 64 x 48'],
    ['with an unknown label', png([2001]), 'instances/a.png: the value 2001 has no label in the list of labels'],
    ['that is cut off', png([1001]).subarray(0, 60), 'instances/a.png: the image is damaged'],
    ['that is none', Buffer.from('text'), 'instances/a.png: the file is not a PNG'],
  ])('reports an image %s', async (_, image, message) => {
    const files = MemoryFiles.of({ 'instances/a.png': image, 'instances/labels.txt': 'car' });
    await expect(imported(motsImport, files, target)).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('rejects archives without masks', async () => {
    const outcome = imported(motsImport, MemoryFiles.of({ 'a.png': png([]) }), target);
    await expect(outcome).rejects.toThrow('Failed to find dataset');
  });
});
