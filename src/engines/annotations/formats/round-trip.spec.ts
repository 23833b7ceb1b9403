import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exportOptions, imported, MemoryFiles, sourceOf } from '../../../../test/support/datasets.js';
import {
  anyOf,
  anyWith,
  hasProperty,
  KIND_NAMES,
  type KindName,
  kindsDataset,
  kindsTarget,
  type OtherNames,
  type Placed,
  placedObjects,
  PROPERTY_NAMES,
  textOf,
  withText,
  type PropertyName,
} from '../../../../test/support/format-kinds.js';
import {
  IMPOSSIBLE_IMAGES,
  IMPOSSIBLE_LABELS,
  oddImages,
  oddLabels,
  oddValues,
  textAfter,
} from '../../../../test/support/odd-names.js';
import type { LabeledData } from '../../../shared/annotations/model.js';
import { type ExportFormat, FormatError, type ImportFormat } from './format.js';
import { exportFormats, importFormats } from './registry.js';

const GUIDE = join(import.meta.dirname, '../../../../docs/formats.md');
const TABLE = /(?<=<!-- kinds -->\n\n)[^]*?(?=\n\n<!-- \/kinds -->)/;
/** Set to write the table into the guide. */
const isUpdating = (process.env['UPDATE_DOCS'] ?? '') !== '';

const COLUMNS: readonly string[] = [...KIND_NAMES, ...PROPERTY_NAMES];

/** Pixels; files have two decimals, or six of the size of the image. */
const TOLERANCE = 0.02;
const RUNS = 15;

interface Pair {
  readonly name: string;
  readonly exporter: ExportFormat;
  readonly importer: ImportFormat;
  readonly is3d: boolean;
}

/** Formats that can be written and read. */
const pairs = exportFormats.all.flatMap((exporter): Pair[] => {
  const { name, dimension } = exporter.info;
  const importer = importFormats.find(name) ?? (name.startsWith('CVAT ') ? importFormats.find('CVAT 1.1') : undefined);
  return importer === undefined ? [] : [{ name, exporter, importer, is3d: dimension === '3d' }];
});

/** Kinds that point clouds cannot have. */
const IN_IMAGES = new Set<KindName>(KIND_NAMES.filter((kind) => !['tag', 'cuboid', 'track'].includes(kind)));

/** Exports a task and imports it into one with the images of the export, whose names may depend on annotations. */
async function roundTrip(
  { exporter, importer, is3d }: Pair,
  data: Partial<LabeledData>,
  names: OtherNames = {},
): Promise<LabeledData> {
  const [files, dataset] = [new MemoryFiles(), kindsDataset(is3d, names)];
  const paths = await exporter.write(dataset, sourceOf(data), files, exportOptions());
  const mode = (data.tracks ?? []).length > 0 ? 'interpolation' : 'annotation';
  const [{ frames: written } = { frames: [] }] = dataset.tasks;
  const frames = written.map((frame) => {
    const [path = frame.name] = paths?.(frame) ?? [];
    const isRenamed = basename(path) !== basename(frame.name);
    return isRenamed ? { ...frame, name: importer.imageAt(path)?.name ?? frame.name } : frame;
  });
  return imported(importer, files, { ...kindsTarget(is3d, mode), labels: dataset.labels, frames });
}

const isSame = (a: Placed, b: Placed | undefined): boolean =>
  a.kind === b?.kind &&
  a.label_id === b.label_id &&
  a.frame === b.frame &&
  a.numbers.length === b.numbers.length &&
  a.numbers.every((value, at) => Math.abs(value - (b.numbers[at] ?? Infinity)) <= TOLERANCE);

/** What comes back instead of an object: the object itself, other kinds, or nothing. */
function outcomeOf(kind: KindName, before: readonly Placed[], after: readonly Placed[]): string {
  if (before.length === after.length && before.every((object, at) => isSame(object, after[at]))) return 'yes';
  const kinds = new Set(after.map((object) => (object.kind === kind ? 'changed' : object.kind)));
  return [...kinds].join(', ');
}

/** The cell of the table: the outcomes of random objects. */
async function cellOf(pair: Pair, kind: KindName): Promise<string> {
  if (pair.is3d && IN_IMAGES.has(kind)) return '';
  const outcomes = new Set<string>();
  for (const data of fc.sample(anyOf(kind, pair.name, pair.is3d), RUNS)) {
    outcomes.add(outcomeOf(kind, placedObjects(data), placedObjects(await roundTrip(pair, data))));
  }
  return [...outcomes].toSorted().join(', ');
}

/** The kinds that a property is looked for on: the first one that the format keeps. */
const CARRIERS: readonly KindName[] = ['rectangle', 'cuboid', 'polygon', 'mask', 'tag', 'skeleton', 'points'];

const carrierOf = (cells: readonly (string | undefined)[]): KindName | undefined =>
  CARRIERS.find((kind) => cells[KIND_NAMES.indexOf(kind)] === 'yes');

async function propertyCell(pair: Pair, property: PropertyName, carrier: KindName | undefined): Promise<string> {
  if (carrier === undefined) return '';
  const [data = {}] = fc.sample(anyWith(property, carrier, pair.name, pair.is3d), 1);
  return propertyOutcome(pair, property, data);
}

async function propertyOutcome(pair: Pair, property: PropertyName, data: Partial<LabeledData>): Promise<string> {
  try {
    return hasProperty(property, await roundTrip(pair, data)) ? 'yes' : '';
  } catch (error) {
    if (error instanceof FormatError) return ''; // such as two boxes on one image
    throw error;
  }
}

const rowOf = (name: string, cells: readonly string[]): string => `| ${[name, ...cells].join(' | ')} |`;

async function tableOf(): Promise<string> {
  const rows: string[] = [];
  for (const pair of pairs) {
    const cells: string[] = [];
    for (const kind of KIND_NAMES) cells.push(await cellOf(pair, kind));
    const carrier = carrierOf(cells);
    for (const property of PROPERTY_NAMES) cells.push(await propertyCell(pair, property, carrier));
    rows.push(rowOf(pair.name, cells));
  }
  return [rowOf('Format', COLUMNS), rowOf('---', Array<string>(COLUMNS.length).fill('---')), ...rows].join('\n');
}

const guide = readFileSync(GUIDE, 'utf8');
if (isUpdating) writeFileSync(GUIDE, guide.replace(TABLE, await tableOf()));

const [head = '', , ...rows] = (TABLE.exec(readFileSync(GUIDE, 'utf8'))?.[0] ?? '').split('\n');
const cellsOf = (row: string): string[] => row.split(/ ?\| ?/).slice(1, -1);
const documented = new Map(rows.map((row) => [cellsOf(row)[0], cellsOf(row).slice(1)]));

describe('an export that is imported again', () => {
  it('is documented for every format and kind', () => {
    expect(cellsOf(head)).toEqual(['Format', ...COLUMNS]);
    expect([...documented.keys()]).toEqual(pairs.map(({ name }) => name));
  });

  const cases = pairs.flatMap((pair) => KIND_NAMES.map((kind, at) => ({ ...pair, kind, at }))).filter(({ is3d, kind }) => !is3d || !IN_IMAGES.has(kind)); // prettier-ignore

  it.each(cases)('$name: $kind', async ({ kind, at, ...pair }) => {
    const expected = documented.get(pair.name)?.[at];
    await fc.assert(
      fc.asyncProperty(anyOf(kind, pair.name, pair.is3d), async (data) => {
        expect(outcomeOf(kind, placedObjects(data), placedObjects(await roundTrip(pair, data)))).toBe(expected);
      }),
      { numRuns: RUNS },
    );
  });

  const properties = pairs.flatMap((pair) => PROPERTY_NAMES.map((property, at) => ({ ...pair, property, at })));

  it.each(properties)('$name: $property', async ({ property, at, ...pair }) => {
    const cells = documented.get(pair.name) ?? [];
    const carrier = carrierOf(cells);
    const expected = cells[KIND_NAMES.length + at];
    if (carrier === undefined) return expect(expected).toBe('');
    await fc.assert(
      fc.asyncProperty(anyWith(property, carrier, pair.name, pair.is3d), async (data) => {
        expect(await propertyOutcome(pair, property, data)).toBe(expected);
      }),
      { numRuns: RUNS },
    );
  });

  /** Objects of a kind that comes back, and what their table says. */
  const anyKept = (pair: Pair): fc.Arbitrary<{ data: Partial<LabeledData>; kind: KindName; expected: string }> => {
    const kinds = KIND_NAMES.map((kind, at) => ({ kind, expected: documented.get(pair.name)?.[at] ?? '' }));
    return fc
      .constantFrom(...kinds.filter(({ expected }) => expected !== ''))
      .chain(({ kind, expected }) => anyOf(kind, pair.name, pair.is3d).map((data) => ({ data, kind, expected })));
  };

  /** Fixed, so that every run has the same names. */
  const WITH_NAMES = { seed: 1, numRuns: 40 };

  it.each(pairs)('$name: names of images', async (pair) => {
    const count = kindsDataset(pair.is3d).tasks[0]?.frames.length ?? 0;
    const impossible = IMPOSSIBLE_IMAGES[pair.name];
    await fc.assert(
      fc.asyncProperty(anyKept(pair), oddImages(count, pair.is3d), async ({ data, kind, expected }, images) => {
        const back = roundTrip(pair, data, { images });
        if (impossible !== undefined && images.some((name) => impossible.test(name))) {
          return expect(back).rejects.toThrow(/^\S.* cannot have the image '.*', because its name has /);
        }
        const [before, after] = [placedObjects(data), placedObjects(await back)];
        expect(outcomeOf(kind, before, after)).toBe(expected);
        if (kind !== 'track') expect(after.map(({ frame }) => frame)).toEqual(after.map(() => before[0]?.frame));
      }),
      WITH_NAMES,
    );
  });

  /** Formats with attributes of any label; those of Market-1501 are numbers. */
  const withAttributes = pairs.filter(({ name }) => {
    const cells = documented.get(name) ?? [];
    return cells[KIND_NAMES.length + PROPERTY_NAMES.indexOf('attributes')] === 'yes' && !name.startsWith('Market');
  });

  it.each(withAttributes)('$name: values of attributes', async (pair) => {
    const carrier = carrierOf(documented.get(pair.name) ?? []) ?? 'tag';
    await fc.assert(
      fc.asyncProperty(anyOf(carrier, pair.name, pair.is3d), oddValues, async (data, value) => {
        const { shapes, tags } = await roundTrip(pair, withText(data, pair.name, value));
        expect([...shapes, ...tags].map(textOf)).toEqual([textAfter(pair.name, value)]);
      }),
      WITH_NAMES,
    );
  });

  it.each(pairs)('$name: names of labels', async (pair) => {
    const isImpossible = (name: string): boolean => IMPOSSIBLE_LABELS[pair.name]?.test(name) ?? false;
    await fc.assert(
      fc.asyncProperty(anyKept(pair), oddLabels, async ({ data, kind, expected }, name) => {
        const label = { id: kind === 'skeleton' ? 3 : 2, name };
        const back = roundTrip(pair, data, { label });
        if (isImpossible(name)) {
          return expect(back).rejects.toThrow(/^\S.* cannot have the label '.*', because /);
        }
        const [before, after] = [placedObjects(data), placedObjects(await back)];
        expect(outcomeOf(kind, before, after)).toBe(expected);
        expect(after.map((object) => object.label_id)).toEqual(after.map(() => before[0]?.label_id));
      }),
      WITH_NAMES,
    );
  });
});
