import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCuboids, cloudDataset, cloudTarget, cloudTask, cloudTrack, sortedShapes } from '../../../../../test/support/cloud-datasets.js'; // prettier-ignore
import { exported, exportOptions, imported, MemoryFiles, sourceOf } from '../../../../../test/support/datasets.js';
import { slyExport } from './export.js';
import { slyImport } from './import.js';

const json = (files: MemoryFiles, path: string): Record<string, unknown> =>
  JSON.parse(files.text(path)) as Record<string, unknown>;

describe('Supervisely point clouds', () => {
  it('round-trips cuboids with attributes', async () => {
    await fc.assert(
      fc.asyncProperty(anyCuboids(true), async (shapes) => {
        const data = await imported(slyImport, await exported(slyExport, { shapes }, cloudDataset), cloudTarget);
        expect(sortedShapes(data.shapes)).toEqual(sortedShapes(shapes));
      }),
      { numRuns: 40 },
    );
  });

  it('round-trips tracks, whose frames share an object', async () => {
    const files = await exported(slyExport, { tracks: [cloudTrack] }, cloudDataset);
    const { tracks } = await imported(slyImport, files, cloudTarget);
    expect(tracks).toMatchObject([cloudTrack]);
    const objects = ['a', 'b'].map((name) => json(files, `ds0/ann/${name}.pcd.json`)['objects'] as { key: string }[]);
    expect(objects[0]?.[0]?.key).toBe(objects[1]?.[0]?.key);
  });

  it('describes context images, and refers to every key once', async () => {
    const files = new MemoryFiles();
    const shapes = [cloudTrack.shapes[0], cloudTrack.shapes[1]].flatMap((shape) =>
      shape === undefined ? [] : [{ ...cloudTrack, ...shape, group: 0, elements: [], score: 1 }],
    );
    await slyExport.write(cloudDataset, sourceOf({ shapes, tracks: [cloudTrack] }), files, exportOptions(true));
    expect(json(files, 'ds0/related_images/a_pcd/Front.PNG.json')).toMatchObject({ name: 'Front.PNG' });
    const { objects, figures, videos } = json(files, 'key_id_map.json') as Record<string, Record<string, number>>;
    expect(Object.values(objects ?? {}).toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
    expect(Object.values(figures ?? {}).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 1, 2]);
    expect(Object.values(videos ?? {})).toEqual([0, 1, 2, 3]);
    const [frame] = cloudTask.frames;
    if (frame === undefined) throw new Error('no frame');
    expect(slyExport.relatedPaths?.(frame, cloudDataset)).toEqual(['ds0/related_images/a_pcd/Front.PNG']);
    expect(slyImport.imageAt('x/ds0/related_images/a_pcd/Front.PNG')).toMatchObject({ contextOf: 'a' });
    expect(slyImport.imageAt('ds0/pointcloud/a.pcd')).toMatchObject({ name: 'a.pcd' });
    expect(await slyImport.labels?.(files)).toMatchObject([{ name: 'car' }, {}, {}, {}, {}]);
  });

  const meta = '{"classes":[{"title":"car"}],"tags":[]}';
  const cuboid = { position: { x: 1, y: 2, z: 3 }, rotation: { x: 0, y: 0, z: 0 }, dimensions: { x: 1, y: 1, z: 1 } };
  const annotated = (figure: object, object: object = {}, name = 'a'): MemoryFiles =>
    MemoryFiles.of({
      'meta.json': meta,
      [`ds0/ann/${name}.pcd.json`]: JSON.stringify({
        key: 'v',
        objects: [{ key: 'o', classTitle: 'car', tags: [], ...object }],
        figures: [{ objectKey: 'o', geometryType: 'cuboid_3d', geometry: cuboid, ...figure }],
      }),
    });

  it('finds frames by number if no point cloud has the name', async () => {
    const files = annotated({}, {}, 'elsewhere');
    await files.addFile('key_id_map.json', Buffer.from('{"figures":{},"videos":{"v":2}}'));
    expect((await imported(slyImport, files, cloudTarget)).shapes).toMatchObject([{ frame: 2 }]);
  });

  it.each([
    [annotated({ objectKey: 'x' }), 'ds0/ann/a.pcd.json, figures[0]: its objectKey names no object'],
    [annotated({ geometryType: 'mesh' }), "figures[0]: 'mesh' is not the geometry of a cuboid"],
    [annotated({ geometry: {} }), 'figures[0]: this is not an object'],
    [annotated({ geometry: { ...cuboid, position: { x: '1' } } }), 'x of its position is not a number'],
    [annotated({}, { classTitle: 'x' }), "there is no label 'x'"],
    [annotated({}, { classTitle: 7 }), 'objects[0]: classTitle is not a text'],
    [annotated({}, { tags: [{ name: 'parked', value: 'maybe' }] }), "'parked'='maybe'"],
    [annotated({}, { tags: [{ name: 'model', value: 'a\0' }] }), "'model' has null characters"],
    [annotated({}, { tags: [{ name: 'model', value: 'a\ud83d' }] }), "'model' has null characters or halves"],
    [annotated({}, { tags: 'x' }), 'tags is not a list'],
    [annotated({ geometry: { ...cuboid, position: { x: 1e300, y: 0, z: 0 } } }), 'coordinate'],
    [annotated({}, {}, 'z'), "Could not match item id: 'z'"],
    [MemoryFiles.of({ 'meta.json': meta }), 'The archive has no annotations'],
    [MemoryFiles.of({ 'meta.json': '{"tags":[', 'ds0/ann/a.json': '{}' }), 'meta.json: this is not JSON'],
    [MemoryFiles.of({ 'a.txt': '' }), 'Dataset must contain a file: "meta.json"'],
  ])('rejects wrong files (%#): %s', async (files, message) => {
    await expect(imported(slyImport, files, cloudTarget)).rejects.toThrow(message);
    await expect(imported(slyImport, files, cloudTarget)).rejects.toMatchObject({ name: 'FormatError' });
  });
});
