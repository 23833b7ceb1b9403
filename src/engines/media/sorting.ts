import { posix } from 'node:path';
import { readImageManifest } from './manifest.js';
import { MediaError, quoted } from './media-error.js';
import { shuffled, type RandomSource } from './random.js';

export type SortingMethod = 'lexicographical' | 'natural' | 'predefined' | 'random';

export interface SortingOptions {
  /** For `predefined`: all names in the requested order; if absent, the given order is kept. */
  order?: readonly string[];
  /** For `random`. */
  random: RandomSource;
}

/**
 * Returns the files of a task in frame order, as a copy. lexicographical: by the code points of the whole path;
 * natural: numbers by value, letters case-insensitively; random: depends only on the names and the random source, not
 * on the upload order.
 */
export function sortFiles(names: readonly string[], method: SortingMethod, options: SortingOptions): string[] {
  switch (method) {
    case 'lexicographical':
      return names.toSorted(compareCodePoints);
    case 'natural':
      return sortNaturally(names);
    case 'predefined':
      return options.order ? [...options.order] : [...names];
    case 'random':
      return shuffled(names.toSorted(compareCodePoints), options.random);
  }
}

/** Compares by code points. JavaScript compares UTF-16 units, which puts U+1F600 before U+FF5E. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return codePointRank(x) - codePointRank(y);
  }
  return a.length - b.length;
}

const mismatchesShown = 5;

/**
 * Explains why `order` is not a permutation of the uploaded files, as the text of the client's error. Null if it is
 * one.
 */
export function orderMismatch(uploaded: readonly string[], order: readonly string[]): string | null {
  const uploadedSet = new Set(uploaded);
  const orderSet = new Set(order);
  const mismatches = [
    ...uploaded.filter((name) => !orderSet.has(name)).map((name) => `${name} (extra)`),
    ...order.filter((name) => !uploadedSet.has(name)).map((name) => `${name} (missing)`),
    ...repeated(order).map((name) => `${name} (repeated)`),
  ];
  if (mismatches.length === 0) return null;
  return (
    "Uploaded files do not match the 'upload_file_order' field contents. " +
    'Please check the uploaded data and the list of uploaded files. ' +
    `Mismatching files: ${mismatches.slice(0, mismatchesShown).join(', ')}` +
    (mismatches.length > mismatchesShown ? ', …' : '')
  );
}

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.size === seen.add(name).size);
}

/** Surrogates represent code points above every single UTF-16 unit. */
function codePointRank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}

/** Sorts numbers by value, and letters case-insensitively. */
export function sortNaturally(names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, parts: name.toLowerCase().split(/(\d+)/) }))
    .toSorted((a, b) => compareParts(a.parts, b.parts) || compareCodePoints(a.name, b.name))
    .map(({ name }) => name);
}

/** Parts alternate between text and digits, so parts at the same position have the same type. */
function compareParts(a: readonly string[], b: readonly string[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = (i % 2 === 0 ? compareCodePoints : compareDigits)(a[i] ?? '', b[i] ?? '');
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Compares numbers of any length by value. */
function compareDigits(a: string, b: string): number {
  const x = a.replace(/^0+/, '');
  const y = b.replace(/^0+/, '');
  return x.length - y.length || compareCodePoints(x, y);
}

/** A manifest that was uploaded with the media. */
interface SentManifest {
  readonly path: string;
  /** The name that the client gave it. */
  readonly name: string;
}

const MISSING_MANIFEST =
  "FileNotFoundError: Can't find upload manifest file 'manifest.jsonl' in the uploaded files. " +
  'It is needed to read the order of the files in an archive.';

/**
 * Returns the order of files for predefined sorting: from the request, else from a manifest, else null for the upload
 * order. An archive has no upload order.
 * @throws MediaError for an archive without a manifest, and for a manifest that lists other files
 */
export async function predefinedOrder(
  files: readonly string[],
  source: { readonly requested: readonly string[]; readonly manifest: SentManifest | null; readonly archive: boolean },
): Promise<readonly string[] | null> {
  const known = new Set(files);
  if (!source.archive && source.requested.length > 0) return source.requested.filter((name) => known.has(name));
  if (source.manifest !== null) return manifestOrder(known, source.manifest);
  if (source.archive) throw new MediaError(MISSING_MANIFEST);
  return null;
}

async function manifestOrder(known: ReadonlySet<string>, { path, name }: SentManifest): Promise<string[]> {
  const order = new Set<string>();
  for await (const image of readImageManifest(path, name)) {
    const file = posix.join(posix.dirname(name), image.path);
    if (!known.has(file)) throw new MediaError(`FileNotFoundError: ${quoted(file)} of ${quoted(name)} was not sent`);
    if (order.has(file)) throw new MediaError(`InvalidManifestError: ${quoted(name)} names ${quoted(file)} twice`);
    order.add(file);
  }
  return [...order];
}
