import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  datasetOf,
  exported,
  imported,
  MemoryFiles,
  pointsOf,
  shapeOf,
  testTask,
} from '../../../../../test/support/datasets.js';
import { attributesIn, attributesText } from './attributes.js';
import { labelMeExport } from './export.js';
import { labelMeImport } from './import.js';

const object = (content: string, name = 'car'): string => `<object><name>${name}</name>${content}</object>`;
const file = (objects: string): MemoryFiles =>
  MemoryFiles.of({ 'S/a.xml': `<annotation><filename>a.jpg</filename><folder></folder>\n${objects}</annotation>` });
const BOX = '<pt><x>1</x><y>2</y></pt><pt><x>5</x><y>2</y></pt><pt><x>5</x><y>9</y></pt>';

describe('LabelMe', () => {
  it('round-trips rectangles, polygons and masks with attributes', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', '1', '=', ',', '"', '\\', '.'), maxLength: 6 });
    const common = { label_id: fc.constant(1), frame: fc.nat(5), occluded: fc.boolean() };
    const attributes = fc.tuple(text, fc.boolean()).map(([model, parked]) => [
      { spec_id: 11, value: model },
      { spec_id: 12, value: String(parked) },
    ]);
    const rectangle = fc
      .record({ points: pointsOf.rectangle, rotation: fc.nat(359), attributes, ...common })
      .map(({ points, ...more }) => shapeOf('rectangle', points, { ...more, source: 'file' }));
    const polygon = fc
      .record({ points: pointsOf.polygon, attributes, ...common })
      .map(({ points, ...more }) => shapeOf('polygon', points, { ...more, source: 'file' }));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(rectangle, polygon), { maxLength: 5 }), async (list) => {
        const shapes = list.toSorted((a, b) => a.frame - b.frame);
        const data = await imported(labelMeImport, await exported(labelMeExport, { shapes }));
        expect(data.shapes).toEqual(shapes);
      }),
      { numRuns: 40 },
    );
    const mask = shapeOf('mask', [0, 3, 1, 1, 1, 3, 4, 5, 5], { frame: 2, source: 'file' });
    const files = await exported(labelMeExport, { shapes: [mask] });
    expect(files.paths).toContain('default/Masks/sub/c_mask_0.png');
    expect((await imported(labelMeImport, files)).shapes).toEqual([mask]);
  });

  it('round-trips groups', async () => {
    const shapes = [3, 0, 3, 5, 3].map((group) => shapeOf('rectangle', [1, 1, 5, 5], { group }));
    const files = await exported(labelMeExport, { shapes });
    expect(files.text('default/a.xml')).toContain('<hasparts>2,4</hasparts>');
    expect((await imported(labelMeImport, files)).shapes.map(({ group }) => group)).toEqual([1, 0, 1, 0, 1]);
  });

  it('writes and reads attributes', () => {
    const number = { name: 'a,b', value: 5, text: '5.0' };
    expect(attributesText([number, { name: 'x', value: '5', text: '5' }])).toBe(String.raw`a\,b=5.0, x="5"`);
    expect(attributesIn(String.raw`a\,b=5.0, x="5", red, y= "p\"q" ,,z=`)).toEqual([
      ['a,b', '5.0'],
      ['x', '5'],
      ['red', 'true'],
      ['y', 'p"q'],
      ['z', ''],
    ]);
  });

  it('gives images that differ in their extension files of their own', async () => {
    const frames = testTask.frames.map((frame) => ({ ...frame, name: frame.frame === 1 ? 'a.png' : frame.name }));
    const files = await exported(labelMeExport, {}, datasetOf({ ...testTask, frames }));
    expect(files.paths).toEqual(expect.arrayContaining(['default/a.xml', 'default/a.png.xml']));
  });

  it('lists labels with their attributes, and images by subset', async () => {
    const files = file(object('<attributes>wet, n=5</attributes>') + object('<deleted>1</deleted>', 'old'));
    expect(await labelMeImport.labels?.(files)).toMatchObject([
      {
        name: 'car',
        attributes: [
          { name: 'wet', input_type: 'checkbox' },
          { name: 'n', input_type: 'text' },
        ],
      },
    ]);
    expect(labelMeImport.imageAt('S/x/a.jpg')).toEqual({ subset: 'S', name: 'x/a.jpg' });
    expect(labelMeImport.imageAt('S/Masks/a_mask_0.png')).toBeUndefined();
  });

  it.each([
    [object(`<polygon>${BOX}</polygon>`, 'tree'), "S/a.xml, line 2: there is no label 'tree' to import it to"],
    [object('', ''), 'S/a.xml, line 2: an object has no name'],
    [object(''), 'S/a.xml, line 2: an object has neither a polygon nor a mask'],
    [object('<polygon><pt><x>NaN</x><y>1</y></pt></polygon>'), "S/a.xml, line 2: x 'NaN' is not a number"],
    [object('<type>bounding_box</type><polygon></polygon>'), 'S/a.xml, line 2: a box has less than two points'],
    [object('<segm><mask>b.png</mask></segm>'), "S/a.xml, line 2: Can't find mask at 'Masks/b.png'"],
    ['<object>', 'S/a.xml, line 2: this is not well-formed XML (unexpected close tag)'],
  ])('reports the fault in %j', async (objects, message) => {
    await expect(imported(labelMeImport, file(objects))).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('rejects other XML, unknown images and archives without files', async () => {
    await expect(imported(labelMeImport, MemoryFiles.of({ 'a.xml': '<osm></osm>' }))).rejects.toThrow('not a file of');
    const unknown = MemoryFiles.of({ 'S/zz.xml': `<annotation>${object(`<polygon>${BOX}</polygon>`)}</annotation>` });
    await expect(imported(labelMeImport, unknown)).rejects.toThrow("Could not match item id: 'zz'");
    await expect(imported(labelMeImport, MemoryFiles.of({}))).rejects.toThrow('must contain a file: "**/*.xml"');
  });
});
