import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  datasetOf,
  exported,
  imported,
  MemoryFiles,
  pointsOf,
  shapeOf,
  testTarget,
  testTask,
  trackOf,
} from '../../../../test/support/datasets.js';
import type { Shape, ShapeElement, ShapeType, Tag } from '../../../shared/annotations/model.js';
import { cvatImages, cvatVideo } from './cvat-export.js';
import { cvatImport } from './cvat-import.js';
import { textElement, xmlOf } from './xml.js';

/** Coordinates are computed from differences, so their last bits are noise. */
const rounded = (shapes: readonly Shape[]): Shape[] =>
  shapes.map((shape) => ({ ...shape, points: shape.points.map((value) => Math.round(value * 100) / 100) }));

const types = Object.keys(pointsOf) as Exclude<ShapeType, 'skeleton'>[];

/** Only characters that XML allows; others cannot be preserved. */
const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll(/[^\t\n\r\u0020-\uD7FF]/g, ''));

const singleShape = fc.constantFrom(...types).chain((type) =>
  fc
    .record({
      points: pointsOf[type],
      frame: fc.nat(5),
      group: fc.nat(3),
      occluded: fc.boolean(),
      z_order: fc.integer({ min: -5, max: 5 }),
      rotation: type === 'rectangle' || type === 'ellipse' ? fc.nat(36_000).map((n) => n / 100) : fc.constant(0),
      model: text,
    })
    .map(({ points, model, ...rest }) => {
      const attributes = [
        { spec_id: 11, value: model },
        { spec_id: 12, value: 'true' },
      ];
      return shapeOf(type, points, { ...rest, label_id: 1, attributes });
    }),
);

const joint = (points: number[], more: Partial<Shape>): ShapeElement => {
  const { elements: _, ...element } = shapeOf('points', points, more);
  return element;
};

const skeleton = (frame: number): Shape =>
  shapeOf('skeleton', [], {
    label_id: 3,
    frame,
    elements: [
      joint([1.5, 2.25], { label_id: 4, frame, occluded: true }),
      joint([3, 4], { label_id: 5, frame, outside: true }),
    ],
  });

const tag: Tag = { id: null, label_id: 1, frame: 1, group: 2, source: 'manual', attributes: [] };

describe('CVAT for images', () => {
  it('round-trips single shapes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(singleShape, { maxLength: 8 }), async (list) => {
        const shapes = list.toSorted((a, b) => a.frame - b.frame);
        const data = await imported(cvatImport, await exported(cvatImages, { shapes }));
        expect(rounded(data.shapes)).toEqual(shapes);
      }),
      { numRuns: 60 },
    );
  });

  it.each(['a\n', 'a\n  ', '\n\n', ' <b/>\n<c>', '&amp;"\r\t', '\u{1F600}'])(
    'gives back the text %j',
    async (value) => {
      const shapes = [
        shapeOf('rectangle', [1, 1, 2, 2], { label_id: 1, source: value, attributes: [{ spec_id: 11, value }] }),
      ];
      const back = (await imported(cvatImport, await exported(cvatImages, { shapes }))).shapes[0];
      expect(back?.attributes[0]).toEqual({ spec_id: 11, value });
      expect(back?.source).toBe(value);
    },
  );

  it('replaces characters that XML does not allow', async () => {
    const shapes = [shapeOf('rectangle', [1, 1, 2, 2], { source: 'a\u0000b\uD800' })];
    const back = (await imported(cvatImport, await exported(cvatImages, { shapes }))).shapes[0];
    expect(back?.source).toBe('a\uFFFDb\uFFFD');
  });

  it('round-trips skeletons and tags', async () => {
    const files = await exported(cvatImages, { shapes: [skeleton(0), skeleton(2)], tags: [tag] });
    const data = await imported(cvatImport, files);
    expect(data.shapes).toEqual([skeleton(0), skeleton(2)]);
    const defaults = [
      { spec_id: 11, value: 'mazda' },
      { spec_id: 12, value: 'false' },
    ];
    expect(data.tags).toEqual([{ ...tag, attributes: defaults }]);
  });

  it('writes a track as its visible shapes', async () => {
    const track = trackOf([{ frame: 1 }, { frame: 3, points: [20, 0, 30, 10] }, { frame: 4, outside: true }]);
    const { shapes, tracks } = await imported(cvatImport, await exported(cvatImages, { tracks: [track] }));
    expect(tracks).toEqual([]);
    expect(shapes.map(({ frame, points }) => ({ frame, points }))).toEqual([
      { frame: 1, points: [0, 0, 10, 10] },
      { frame: 2, points: [10, 0, 20, 10] },
      { frame: 3, points: [20, 0, 30, 10] },
    ]);
  });

  it('writes the layout that readers of the format expect', async () => {
    const shapes = [shapeOf('rectangle', [1, 2.345, 3, 4], { frame: 2, group: 3, rotation: 45 })];
    const xml = (await exported(cvatImages, { shapes })).text('annotations.xml');
    expect(xml).toContain('<image id="2" name="sub/c.jpg" width="64" height="48">');
    expect(xml).toContain(
      '    <box label="person &amp; &quot;friend&quot;" source="manual" occluded="0" xtl="1.00" ytl="2.35" ' +
        'xbr="3.00" ybr="4.00" rotation="45.00" z_order="0" group_id="3"></box>\n',
    );
    expect(xml).toContain('<created>2026-11-21 08:33:37.892000+00:00</created>');
    expect(xml).toContain('<svg>&lt;circle r="1"\n data-label-id="4"/&gt;</svg>');
    expect(xml).toMatch(
      /^<\?xml version="1.0" encoding="utf-8"\?>\n<annotations>\n {2}<version>1.1<\/version>\n {2}<meta>/,
    );
  });

  it('distinguishes images of a project by task and subset', async () => {
    const task = { ...testTask, subset: 'val' };
    const dataset = datasetOf(task, 'project');
    const xml = (await exported(cvatImages, {}, dataset)).text('annotations.xml');
    expect(xml).toContain('<image id="1" name="b.jpg" subset="val" task_id="7" width="64" height="48">');
    expect(xml).toContain('<subsets>val</subsets>');
    expect(testTask.frames.slice(0, 1).map((frame) => cvatImages.imagePath(frame, task, dataset))).toEqual([
      'images/val/a.jpg',
    ]);
  });
});

describe('CVAT for video', () => {
  const heads = (...keyframes: [frame: number, x: number, outside?: boolean][]) =>
    trackOf(
      keyframes.map(([frame, x, outside = false]) => ({ frame, type: 'points' as const, points: [x, 0], outside })),
      { label_id: 4 },
    );

  it('round-trips keyframes, with attributes on tracks or keyframes', async () => {
    const mutable = (value: string) => [{ spec_id: 12, value }];
    const tracks = [
      trackOf(
        [
          { frame: 0, attributes: mutable('true') },
          { frame: 2, points: [20, 0, 30, 10], occluded: true, attributes: mutable('false') },
          { frame: 4, outside: true, attributes: mutable('false') },
        ],
        { label_id: 1, group: 5, attributes: [{ spec_id: 11, value: 'volvo' }] },
      ),
      trackOf([{ frame: 3, rotation: 350 }], { label_id: 2 }),
    ];
    const data = await imported(cvatImport, await exported(cvatVideo, { tracks }));
    expect(data.tracks).toEqual(tracks);
    expect(data.shapes).toEqual([]);
  });

  it('round-trips skeletons whose elements have keyframes of their own', async () => {
    const { elements: _, ...element } = heads([0, 1], [2, 4], [5, 4, true]);
    const track = trackOf(
      [
        { frame: 0, type: 'skeleton', points: [] },
        { frame: 5, type: 'skeleton', points: [], outside: true },
      ],
      { label_id: 3, elements: [element] },
    );
    expect((await imported(cvatImport, await exported(cvatVideo, { tracks: [track] }))).tracks).toEqual([track]);
  });

  it('writes interpolated frames, and single shapes as tracks of one frame', async () => {
    const data = {
      tracks: [trackOf([{ frame: 0 }, { frame: 2, outside: true }])],
      shapes: [shapeOf('rectangle', [1, 1, 2, 2], { frame: 5 })],
    };
    const xml = (await exported(cvatVideo, data)).text('annotations.xml');
    const rows = [...xml.matchAll(/frame="(\d)" keyframe="(\d)" outside="(\d)"/g)].map(([, ...row]) => row.join(''));
    expect(rows).toEqual(['010', '100', '211', '510']);
    expect(xml.match(/<track id="\d"/g)).toEqual(['<track id="0"', '<track id="1"']);
  });

  it('ends an object on the next available frame if its last frame is left out', async () => {
    const frames = testTask.frames.filter(({ frame }) => frame !== 2);
    const given = {
      tracks: [trackOf([{ frame: 0 }, { frame: 2, outside: true }])],
      shapes: [shapeOf('rectangle', [1, 1, 2, 2], { frame: 1 })],
    };
    const files = await exported(cvatVideo, given, datasetOf({ ...testTask, frames }));
    const { tracks } = await imported(cvatImport, files);
    const ends = tracks.map(({ shapes }) => shapes.map(({ frame, outside }) => [frame, outside]));
    expect(ends).toEqual([
      [
        [0, false],
        [1, false],
        [3, true],
      ],
      [
        [1, false],
        [3, true],
      ],
    ]);
  });

  it('keeps the look of a track whose keyframe is on a frame that is left out', async () => {
    const frames = testTask.frames.filter(({ frame }) => frame !== 2);
    const track = trackOf([{ frame: 0 }, { frame: 2, points: [20, 0, 30, 10] }, { frame: 4 }]);
    const files = await exported(cvatVideo, { tracks: [track] }, datasetOf({ ...testTask, frames }));
    const back = (await imported(cvatImport, files)).tracks[0];
    const lefts = back?.shapes.map(({ frame, points }) => [frame, points[0]]);
    expect(lefts).toEqual([
      [0, 0],
      [1, 10],
      [3, 10],
      [4, 0],
    ]);
  });

  it('converts tracked masks to single shapes', async () => {
    const files = MemoryFiles.of({
      'annotations.xml': `<annotations><track id="0" label="car"><mask frame="1" keyframe="1" outside="0"
        rle="1, 3" left="2" top="3" width="2" height="2"/><mask frame="2" keyframe="1" outside="1"
        rle="1, 3" left="2" top="3" width="2" height="2"/></track></annotations>`,
    });
    const data = await imported(cvatImport, files);
    expect(data.tracks).toEqual([]);
    expect(data.shapes).toMatchObject([
      { type: 'mask', frame: 1, points: [1, 3, 2, 3, 3, 4], source: 'file', group: 0 },
    ]);
  });
});

describe('labels of CVAT XML', () => {
  it.each([cvatImages, cvatVideo])('are read with attributes, types and elements: $info.name', async (format) => {
    for (const kind of ['task', 'job', 'project'] as const) {
      const files = await exported(format, {}, datasetOf(testTask, kind));
      const plain = { color: '#c06060', type: 'any', svg: '', attributes: [], sublabels: [] };
      const joint = { color: '#c06060', type: 'points', svg: '', attributes: [] };
      expect(await cvatImport.labels?.(files)).toEqual([
        expect.objectContaining({
          name: 'car',
          attributes: [
            { name: 'model', mutable: false, input_type: 'text', default_value: 'mazda', values: [''] },
            { name: 'parked', mutable: true, input_type: 'checkbox', default_value: 'false', values: ['false'] },
          ],
        }),
        { ...plain, name: 'person & "friend"' },
        {
          ...plain,
          name: 'body',
          type: 'skeleton',
          svg: '<circle r="1"\n data-label-id="4"/>',
          sublabels: [{ ...joint, name: 'head' }, { ...joint, name: 'hand' }],
        }, // prettier-ignore
      ]);
    }
  });

  it('are taken from the annotations if the file describes none', async () => {
    const xml = `<annotations><image id="0" name="a.jpg"><box label="car"/><tag label="night"/></image>
      <track id="0" label="cat"><box frame="0"/></track><track id="1" label="car"/></annotations>`;
    const found = await cvatImport.labels?.(MemoryFiles.of({ 'annotations.xml': xml }));
    expect(found?.map(({ name }) => name)).toEqual(['car', 'night', 'cat']);
  });
});

describe('CVAT import', () => {
  const read = (xml: string, target = testTarget) =>
    imported(cvatImport, MemoryFiles.of({ 'annotations.xml': xml }), target);
  const image = (inside: string, name = 'a.jpg') =>
    `<annotations>\n<image id="0" name="${name}">\n${inside}\n</image></annotations>`;

  it.each([
    ['', 'annotations.xml, line 1: this is not well-formed XML (document must contain a root element)'],
    ['<html/>', "annotations.xml: this is not CVAT's XML: its root is <html>, not <annotations>"],
    ['<annotations><image', 'annotations.xml, line 1: this is not well-formed XML (unclosed tag: annotations)'],
    [image('<box label="cat" xtl="1"/>'), "annotations.xml, line 3: there is no label 'cat' to import it to"],
    [image('<box label="car" xtl="1"/>'), 'annotations.xml, line 3: <box> has no attribute ytl'],
    [image('<polygon label="car" points="1,x"/>'), "annotations.xml, line 3: points of <polygon> is 'x', not a number"],
    [image('<box label="car" xtl="0x10"/>'), "annotations.xml, line 3: xtl of <box> is '0x10', not a number"],
    [
      image('<box label="car" xtl="1" ytl="1" xbr="1e300" ybr="2"/>'),
      'annotations.xml, line 3: a rectangle has a coordinate that is beyond what annotations may have',
    ],
    [
      image('<polygon label="car" points="1,2;3,4"/>'),
      "annotations.xml, line 3: invalid length for shape type 'polygon'",
    ],
    [
      image('<mask label="car" rle="1,2" left="0" top="0" width="2" height="2"/>'),
      'annotations.xml, line 3: mask runs add up to 3 pixels, its box has 4',
    ],
    [image('<blob label="car"/>'), "annotations.xml, line 3: an image cannot contain '<blob>'"],
    [
      image('<skeleton label="body"><points label="foot" points="1,2"/></skeleton>'),
      "annotations.xml, line 3: the skeleton 'body' has no element 'foot'",
    ],
    [image('<skeleton label="body"/>'), 'annotations.xml, line 3: a skeleton without elements'],
    [
      image('', 's0.png'),
      "cvat.apps.dataset_manager.bindings.CvatImportError: Could not match item id: 's0' with any task frame",
    ],
    [
      '<annotations><track label="car"/></annotations>',
      'annotations.xml, line 1: a track without keyframes on frames of the task',
    ],
    [
      '<!DOCTYPE a [<!ENTITY e "x">]><annotations>&e;</annotations>',
      'annotations.xml, line 1: document type declarations are not accepted',
    ],
    ['<annotations>&e;</annotations>', 'annotations.xml, line 1: this is not well-formed XML (undefined entity)'],
    [`<annotations>${'<a>'.repeat(40)}`, 'annotations.xml, line 1: elements are nested more than 32 deep'],
    ['\uFFFDx', 'annotations.xml, line 1: this is not well-formed XML (text data outside of root node)'],
  ])('reports the fault in %s', async (xml, message) => {
    await expect(read(xml)).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('rejects text that is not UTF-8, and archives without XML', async () => {
    const latin = MemoryFiles.of({ 'a.xml': Buffer.from([0x3c, 0xe4, 0x3e, 0x20]) });
    await expect(imported(cvatImport, latin)).rejects.toThrow('a.xml: the text is not UTF-8');
    await expect(imported(cvatImport, MemoryFiles.of({ 'a.txt': '' }))).rejects.toThrow(
      'Failed to find dataset. The archive holds no XML file',
    );
  });

  it('finds frames of videos by number', async () => {
    const target = { ...testTarget, mode: 'interpolation' as const };
    const { tags } = await read(image('<tag label="car"/>', 'frame_000004.png').replace('id="0"', ''), target);
    expect(tags[0]?.frame).toBe(4);
  });

  it('fails only with a FormatError', async () => {
    const files = await exported(cvatVideo, { tracks: [trackOf([{ frame: 0 }, { frame: 3 }])], shapes: [skeleton(4)] });
    const good = files.text('annotations.xml');
    const start = good.indexOf('<track');
    const damage = fc.record({
      at: fc.integer({ min: start, max: good.length - 1 }),
      cut: fc.nat(20),
      put: fc.oneof(
        fc.string({ maxLength: 5 }),
        fc.constantFrom('<', '"', '-', '9e99', '<box ', '</track>', 'NaN', '&#0;'),
      ),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, cut, put }) => {
        const outcome = await read(good.slice(0, at) + put + good.slice(at + cut)).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toMatchObject({ name: 'FormatError' });
      }),
      { numRuns: 400 },
    );
  });
});

it('a line separator in a text does not begin a line of XML', () => {
  expect(xmlOf([textElement('a', '\u2028  '), textElement('b', '')], '  ')).toBe('  <a>\u2028  </a>\n  <b></b>\n');
});
