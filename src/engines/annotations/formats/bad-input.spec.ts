import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exportOptions, imported, MemoryFiles, sourceOf } from '../../../../test/support/datasets.js';
import { anyOf, KIND_NAMES, kindsDataset, kindsTarget } from '../../../../test/support/format-kinds.js';
import { isCoordinate } from '../../../shared/annotations/model.js';
import { checkFrames } from '../frames.js';
import { FormatError, type ImportFormat } from './format.js';
import { exportFormats, importFormats } from './registry.js';

/** Replaces the number at this place of a text, counted from 0. */
const withNumber = (content: Buffer, place: number, value: string): Buffer => {
  let at = 0;
  return Buffer.from(content.toString().replaceAll(/-?\d+(?:\.\d+)?/g, (found) => (at++ === place ? value : found)));
};

/** What may happen to a file of an archive. Each must be read as something valid, or rejected with its name. */
const DAMAGES: readonly ((content: Buffer) => Buffer)[] = [
  () => Buffer.alloc(0),
  (content) => content.subarray(0, content.length >> 1),
  (content) => content.subarray(0, Math.floor(content.length * 0.9)),
  (content) => Buffer.concat([content, content]),
  (content) => Buffer.concat([content.subarray(0, content.length / 3), content.subarray((content.length * 2) / 3)]),
  (content) => between(content, Buffer.from([0xff, 0xfe])),
  (content) => between(content, Buffer.alloc(9)),
  (content) => Buffer.from(content.toString(), 'utf16le'),
  () => Buffer.from('['.repeat(20_000)),
  () => Buffer.from('{"a":'.repeat(5_000)),
  () => Buffer.from('<a>'.repeat(5_000)),
  () => Buffer.from('<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><annotations>&c;</annotations>'),
  ...[
    'NaN',
    '1e999',
    '1e308',
    '-1',
    '99999999999999999999',
    '2147483648',
    '0.5',
    'null',
    '[]',
    '{}',
    '../../x',
    '',
  ].flatMap((value) => [
    (content: Buffer) => Buffer.from(content.toString().replaceAll(/-?\d+(?:\.\d+)?/g, value)),
    (content: Buffer) => Buffer.from(content.toString().replaceAll(/-?\d+\.\d+/g, value)),
  ]),
  ...['2147483647', '1e308'].flatMap((value) =>
    Array.from({ length: 15 }, (_, place) => (content: Buffer) => withNumber(content, place, value)),
  ),
  (content) => Buffer.from(content.toString().replaceAll(/"[^"]*"/g, '"../x"')),
  (content) => Buffer.from(content.toString().replaceAll(/"[^"]*"/g, String.raw`"\u0000\ud83d"`)),
];

const between = (content: Buffer, piece: Buffer): Buffer =>
  Buffer.concat([content.subarray(0, content.length >> 1), piece, content.subarray(content.length >> 1)]);

/** A file of the archive by name, or what the archive lacks. */
const LOCATED = /\.\w+(?:[,:' ]|$)|^Failed to find dataset|^The archive|Could not match item id/;

/** Formats that can be written and read, with an archive of each. */
const archives = exportFormats.all.flatMap(({ info: { name } }) => {
  const importer = importFormats.find(name) ?? (name.startsWith('CVAT ') ? importFormats.find('CVAT 1.1') : undefined);
  return importer === undefined ? [] : [{ name, importer }];
});

/** An archive with objects of a kind that the format can express. */
async function archiveOf(name: string, is3d: boolean): Promise<MemoryFiles> {
  const exporter = exportFormats.find(name);
  let written = new MemoryFiles();
  for (const kind of is3d ? (['cuboid'] as const) : KIND_NAMES) {
    const [data = {}] = fc.sample(anyOf(kind, name, is3d), { numRuns: 1, seed: 5 });
    const files = new MemoryFiles();
    try {
      await exporter?.write(kindsDataset(is3d), sourceOf(data), files, exportOptions());
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
    }
    if (sizeOf(files) > sizeOf(written)) written = files;
  }
  return written;
}

const sizeOf = ({ files }: MemoryFiles): number => [...files.values()].reduce((sum, { length }) => sum + length, 0);

/** @returns what is wrong with the outcome; undefined if nothing is */
async function faultOf(importer: ImportFormat, files: MemoryFiles, is3d: boolean): Promise<string | undefined> {
  try {
    const target = kindsTarget(is3d, 'annotation');
    const data = await imported(importer, files, target);
    checkFrames(data, Math.max(...target.frames.map(({ frame }) => frame)) + 1);
    const { shapes, tracks } = data;
    const drawn = [...shapes, ...tracks.flatMap((track) => track.shapes)];
    const numbers = drawn.flatMap(({ points, rotation, z_order }) => [...points, rotation, z_order]);
    const values = drawn.flatMap(({ attributes }) => attributes.map(({ value }) => value));
    if (!numbers.every(isCoordinate)) return 'a number is not one';
    return values.some((value) => value.includes('\0')) ? 'a value has null characters' : undefined;
  } catch (error) {
    if (!(error instanceof FormatError)) return String(error);
    return LOCATED.test(error.message) ? undefined : `no location: ${error.message}`;
  }
}

describe('damaged archives', () => {
  it.each(archives)('$name: is read, or rejected with the location of the fault', async ({ name, importer }) => {
    const is3d = importer.info.dimension === '3d';
    const archive = await archiveOf(name, is3d);
    const faults: string[] = [];
    for (const [path, content] of [...archive.files].slice(0, 3)) {
      for (const [at, damage] of DAMAGES.entries()) {
        const files = MemoryFiles.of(Object.fromEntries(archive.files));
        files.files.set(path, damage(content));
        const fault = await faultOf(importer, files, is3d);
        if (fault !== undefined) faults.push(`${path}, damage ${at}: ${fault}`);
      }
    }
    expect(faults).toEqual([]);
  });
});
