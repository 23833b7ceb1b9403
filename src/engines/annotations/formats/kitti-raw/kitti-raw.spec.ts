import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCuboids, cloudDataset, cloudTarget, cloudTask, sortedShapes } from '../../../../../test/support/cloud-datasets.js'; // prettier-ignore
import { exported, imported, MemoryFiles } from '../../../../../test/support/datasets.js';
import { kittiRawExport } from './export.js';
import { kittiRawImport } from './import.js';

const START = '<!DOCTYPE boost_serialization><boost_serialization>\n<tracklets>\n';
const END = '</tracklets></boost_serialization>';

interface Given {
  readonly label?: string;
  readonly first?: string;
  readonly poses?: string;
  readonly more?: string;
}

const pose = (more = '', x = '1'): string =>
  `<item><tx>${x}</tx><ty>2</ty><tz>3</tz><rx>0</rx><ry>0</ry><rz>0.5</rz>${more}</item>`;
const tracklet = ({ label = 'car', first = '0', poses = pose(), more = '' }: Given = {}): string =>
  `${START}<item><objectType>${label}</objectType><h>5</h><w>4</w><l>6</l><first_frame>${first}</first_frame>` +
  `<poses><count>1</count>${poses}</poses>${more}</item>${END}`;
const read = (xml: string, more: Record<string, string> = {}) =>
  imported(kittiRawImport, MemoryFiles.of({ 'tracklet_labels.xml': xml, ...more }), cloudTarget);

describe('KITTI raw', () => {
  it('round-trips cuboids', async () => {
    await fc.assert(
      fc.asyncProperty(anyCuboids(false), async (shapes) => {
        const data = await imported(
          kittiRawImport,
          await exported(kittiRawExport, { shapes }, cloudDataset),
          cloudTarget,
        );
        expect(sortedShapes(data.shapes)).toEqual(sortedShapes(shapes));
      }),
      { numRuns: 40 },
    );
  });

  it('names context images after their cameras', () => {
    const [frame] = cloudDataset.tasks[0]?.frames ?? [];
    if (frame === undefined) throw new Error('no frame');
    expect(kittiRawExport.imagePath(frame, cloudTask, cloudDataset)).toBe('velodyne_points/data/a.pcd');
    expect(kittiRawExport.relatedPaths?.(frame, cloudDataset)).toEqual(['image_00/data/a.png']);
    expect(kittiRawImport.imageAt('x/image_00/data/a.png')).toMatchObject({ name: 'image_00.png', contextOf: 'a' });
    expect(kittiRawImport.imageAt('velodyne_points/data/a.bin')).toMatchObject({ name: 'a.bin' });
    expect(kittiRawImport.imageAt('velodyne_points/timestamps.txt')).toBeUndefined();
  });

  it('reads several poses, their occlusion and attributes, and skips poses outside of the image', async () => {
    const occlusion = (value: number, key = 0): string =>
      `<occlusion>${value}</occlusion><occlusion_kf>${key}</occlusion_kf>`;
    const poses = [
      pose(occlusion(1, 1)),
      pose(occlusion(-1)),
      pose('<truncation>99</truncation>'),
      pose(occlusion(0, 1)),
    ];
    const more = '<attributes><attribute><name>model</name><value>bmw</value></attribute></attributes>';
    const { shapes } = await read(tracklet({ poses: poses.join(''), more }), { 'frame_list.txt': '0 b\n1 a\n' });
    expect(shapes.map(({ frame, occluded }) => [frame, occluded])).toEqual([[1, true], [0, true], [3, false]]); // prettier-ignore
    expect(shapes[0]).toMatchObject({
      points: [1, 2, 3, 0, 0, 0.5, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0],
      attributes: [{ spec_id: 11, value: 'bmw' }],
    });
    const files = MemoryFiles.of({ 'tracklet_labels.xml': tracklet({ more }) });
    expect(await kittiRawImport.labels?.(files)).toMatchObject([{ name: 'car', attributes: [{ name: 'model' }] }]);
  });

  it.each([
    [tracklet({ label: 'x' }), "tracklet_labels.xml, line 3: there is no label 'x'"],
    [tracklet({ label: '' }), 'tracklet_labels.xml, line 3: a tracklet has no objectType'],
    [tracklet({ first: '-1' }), 'first_frame -1 is not a frame number'],
    [tracklet({ first: '1e3' }), "Could not match item id: '0000001000'"],
    [tracklet({ poses: pose('', 'NaN') }), "line 3: tx 'NaN' is not a number"],
    [tracklet({ poses: pose('', '1e400') }), "tx '1e400' is not a number"],
    [tracklet({ poses: '<item></item>' }), "tx '' is not a number"],
    [tracklet({ more: '<attributes><attribute></attribute></attributes>' }), 'an attribute has no name'],
    [`${START}<item>`, 'this is not well-formed XML'],
    ['<annotation/>', 'line 1: these are not tracklets'],
    ['<boost_serialization/>', 'these are not tracklets'],
    [
      '<!DOCTYPE boost_serialization [<!ENTITY a "b">]><boost_serialization/>',
      'document type declarations are not accepted',
    ],
  ])('rejects %s', async (xml, message) => {
    await expect(read(xml)).rejects.toThrow(message);
    await expect(read(xml)).rejects.toMatchObject({ name: 'FormatError' });
  });

  it('rejects a broken list of frames, and an archive without tracklets', async () => {
    await expect(read(tracklet(), { 'frame_list.txt': '0 a\nb\n' })).rejects.toThrow('frame_list.txt, line 2');
    await expect(imported(kittiRawImport, MemoryFiles.of({ 'a.txt': '' }), cloudTarget)).rejects.toThrow('"*.xml"');
  });
});
