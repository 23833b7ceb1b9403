import { describe, expect, it } from '@jest/globals';
import { imported, MemoryFiles, testTarget } from '../../../../test/support/datasets.js';
import { FormatError } from './format.js';
import { FreeNumbers } from './free-numbers.js';
import { parseJson } from './json-values.js';
import { likelyFormats } from './likely-formats.js';
import { importFormats } from './registry.js';
import { readLines } from './text-pieces.js';

const LONG = 900_000;
const spaces = ' '.repeat(LONG);
const objects = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `<object>${text(at)}</object>`).join('');

/** Files whose readers took the square of their length: hours, or minutes with the last. */
const TEXTS: readonly (readonly [what: string, format: string, files: Record<string, string>, error: RegExp])[] = [
  [
    'spaces within a label of KITTI',
    'KITTI 1.0',
    { 'default/label_2/a.txt': `a${spaces}b` },
    /line 1: '.*' is not a label with 14 or 15 numbers/s,
  ],
  [
    'spaces within a line of a label of VOC',
    'PASCAL VOC 1.1',
    {
      'labelmap.txt': 'car:::\n',
      'ImageSets/Main/default.txt': 'a\n',
      'ImageSets/Main/car_default.txt': `a${spaces}b`,
    },
    /car_default.txt: '.*' is not an image followed by 1, 0 or -1/s,
  ],
  [
    'commas within a box of ICDAR',
    'ICDAR Localization 1.0',
    { 'default/gt_a.txt': `1,1,a,${','.repeat(LONG)}"b"` },
    /line 1: '.*' /s,
  ],
  [
    'quotes within a line of CamVid',
    'CamVid 1.0',
    { 'default.txt': `"${'" '.repeat(LONG / 2)}` },
    /default.txt, line 1: the line is longer than/,
  ],
  [
    'folders of a mask of Open Images',
    'Open Images V6 1.0',
    {
      'annotations/class-descriptions.csv': 'LabelName,DisplayName\n/m/1,car\n',
      'annotations/default-annotations-object-segmentation.csv': `MaskPath,ImageID,LabelName,BoxXMin\n${'a/'.repeat(LONG / 2)}m.png,a,car,\n`,
    },
    /the archive has no mask '.*'/s,
  ],
  [
    'levels of a value of Hugging Face',
    'Hugging Face ImageFolder 1.0',
    { 'default/metadata.jsonl': `{"file_name": ${'['.repeat(LONG)}${']'.repeat(LONG)}}` },
    /metadata.jsonl, line 1: this is nested more than 64 deep/,
  ],
];

/** Beginnings of files by which formats are told apart. */
const BEGINNINGS: readonly (readonly [what: string, files: Record<string, string>])[] = [
  ['instructions without an element', { 'a.xml': '<?a?>'.repeat(6_000) }],
  [
    'empty lines of YAML',
    Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}.yaml`, '\n'.repeat(30_000)])),
  ],
  ['spaces of a box', { 'a.txt': `a${spaces}b` }],
  ['quotes of a list', { 'a.txt': `"${'" '.repeat(400)}\n`.repeat(30) }],
];

const messageOf = (reading: Promise<unknown>): Promise<string> =>
  reading.then(
    () => '',
    (error: unknown) => (error instanceof FormatError ? error.message : `no FormatError: ${String(error)}`),
  );

describe('long texts', () => {
  it.each(TEXTS)('are read once: %s', async (_what, format, files, error) => {
    const importer = importFormats.find(format);
    if (importer === undefined) throw new Error(`There is no format ${format}.`);
    expect(await messageOf(imported(importer, MemoryFiles.of(files), testTarget))).toMatch(error);
  });

  it.each(BEGINNINGS)('are looked at once to recognize their format: %s', async (_what, files) => {
    expect(await likelyFormats(MemoryFiles.of(files), importFormats.all, undefined)).toEqual([]);
  });

  it('may have a line in very many pieces', async () => {
    const piece = Buffer.from('ab');
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < 200_000; at++) yield piece;
    };
    const lengths: number[] = [];
    for await (const { text } of readLines(pieces(), 'a.txt')) lengths.push(text.length);
    expect(lengths).toEqual([400_000]);
  });

  it('may have objects of LabelMe that all belong to each other', async () => {
    const object = (at: number): string =>
      `<name>car</name><id>${at}</id><parts><hasparts></hasparts><ispartof>${at + 1}</ispartof></parts>` +
      '<polygon><pt><x>1</x><y>2</y></pt><pt><x>5</x><y>2</y></pt><pt><x>5</x><y>9</y></pt></polygon>';
    const text = `<annotation><filename>a.jpg</filename><folder></folder>${objects(20_000, object)}</annotation>`;
    const importer = importFormats.find('LabelMe 3.0');
    if (importer === undefined) throw new Error('There is no format LabelMe 3.0.');
    const { shapes } = await imported(importer, MemoryFiles.of({ 'S/a.xml': text }));
    expect(new Set(shapes.map(({ group }) => group)).size).toBe(1);
  });
});

describe('FreeNumbers', () => {
  it('numbers a series without searching from its start', () => {
    const numbers = new FreeNumbers();
    const taken = Array.from({ length: 200_000 }, () => numbers.take('a', 1));
    expect(taken).toEqual(Array.from({ length: 200_000 }, (_, at) => at + 1));
  });

  it('keeps series apart', () => {
    const numbers = new FreeNumbers();
    numbers.take('a', 1);
    expect([numbers.take('b', 1), numbers.take('a', 1), numbers.take('a', 0), numbers.take('a', 0)]).toEqual([1, 2, 0, 3]); // prettier-ignore
  });
});

describe('parseJson', () => {
  it('reads values of 64 levels', () => {
    const text = `${'['.repeat(64)}${']'.repeat(64)}`;
    expect(JSON.stringify(parseJson(text, 'a.json'))).toBe(text);
  });

  it('refuses more levels', () => {
    expect(() => parseJson(`${'['.repeat(65)}${']'.repeat(65)}`, 'a.json')).toThrow(
      'a.json: this is nested more than 64 deep',
    );
  });
});
