import { blake2s } from '@noble/hashes/blake2.js';
import { KNOWN_LABEL_NAMES } from './known-label-names.js';

type Rgb = readonly [number, number, number];

const BITS = [7, 6, 5, 4, 3, 2, 1, 0];
const TENTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const COLOR_COUNT = 2 ** 24;
const BACKGROUND = 'background';

/** Entries of the colour map by known name; the background is black. */
const KNOWN_ENTRIES: ReadonlyMap<string, number> = new Map([
  [BACKGROUND, 0],
  ...KNOWN_LABEL_NAMES.map((name, index) => [name, index + 1] as const),
]);
const KNOWN_COLORS: ReadonlySet<string> = new Set([...KNOWN_ENTRIES.values()].map((entry) => hex(vocColor(entry))));

/**
 * The default colour of a label, the same that CVAT gives: names of common data sets have fixed colours, other
 * colours are derived from a digest of the name. If a sibling has that colour, the label gets a tint or a shade of it.
 * @param taken colours of the siblings, lower case
 */
export function colorOf(name: string, taken: Pick<ReadonlySet<string>, 'has'>): string {
  const normalized = name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replaceAll('-', '_');
  const entry = KNOWN_ENTRIES.get(normalized) ?? digest(normalized);
  const color = vocColor(entry);
  if (!taken.has(hex(color))) return hex(color);
  for (const target of [255, 0]) {
    for (const tenths of TENTHS) {
      const mixed = hex(mix(color, target, tenths));
      if (!taken.has(mixed) && !KNOWN_COLORS.has(mixed)) return mixed;
    }
  }
  return nextFree(entry, taken);
}

/** Far more siblings of the same colour than CVAT has a rule for: the next entry that is free, if there is one. */
function nextFree(entry: number, taken: Pick<ReadonlySet<string>, 'has'>): string {
  for (let step = 1; step < COLOR_COUNT; step += 1) {
    const color = hex(vocColor((entry + step) % COLOR_COUNT));
    if (!taken.has(color) && !KNOWN_COLORS.has(color)) return color;
  }
  return hex(vocColor(entry));
}

function digest(name: string): number {
  return Buffer.from(blake2s(Buffer.from(name), { dkLen: 3 })).readUIntBE(0, 3);
}

/** Entry `index` of the VOC colour map: its bits dealt out to red, green and blue from the highest bit down. */
function vocColor(index: number): Rgb {
  const channels: [number, number, number] = [0, 0, 0];
  let rest = index;
  for (const bit of BITS) {
    for (const channel of [0, 1, 2] as const) channels[channel] |= ((rest >> channel) & 1) << bit;
    rest >>= 3;
  }
  return channels;
}

function mix([red, green, blue]: Rgb, target: number, tenths: number): Rgb {
  const toward = (channel: number): number => Math.trunc(channel + ((target - channel) * tenths) / 10);
  return [toward(red), toward(green), toward(blue)];
}

function hex(color: Rgb): string {
  return `#${Buffer.from(color).toString('hex')}`;
}
