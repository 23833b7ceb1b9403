import { describe, expect, it } from '@jest/globals';
import { imported, MemoryFiles } from '../../../../test/support/datasets.js';
import { archiveOf, readableExports } from '../../../../test/support/format-archives.js';
import { isCoordinate } from '../../../shared/annotations/model.js';
import { checkFrames } from '../frames.js';
import { FormatError, type ImportFormat, type ImportTarget } from './format.js';

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

/** @returns what is wrong with the outcome; undefined if nothing is */
async function faultOf(importer: ImportFormat, files: MemoryFiles, target: ImportTarget): Promise<string | undefined> {
  try {
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
  it.each(readableExports)('$name: is read, or rejected with the location of the fault', async (format) => {
    const { files: archive, target } = await archiveOf(format);
    const faults: string[] = [];
    for (const [path, content] of [...archive.files].slice(0, 3)) {
      for (const [at, damage] of DAMAGES.entries()) {
        const files = MemoryFiles.of(Object.fromEntries(archive.files));
        files.files.set(path, damage(content));
        const fault = await faultOf(format.importer, files, target);
        if (fault !== undefined) faults.push(`${path}, damage ${at}: ${fault}`);
      }
    }
    expect(faults).toEqual([]);
  });
});
