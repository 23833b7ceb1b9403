import { createHash } from 'node:crypto';

const BITS = [7, 6, 5, 4, 3, 2, 1, 0];

/**
 * A colour for a label that was given none: the same name always gets the same one. The digest's first three bytes
 * index the colour map of PASCAL VOC, whose neighbours are far apart; a colour that a sibling has is stepped over.
 */
export function colorOf(name: string, taken: Pick<ReadonlySet<string>, 'has' | 'size'>): string {
  if (name === 'background' && !taken.has('#000000')) return '#000000';
  const digest = createHash('sha256').update(name.toLowerCase().replaceAll('-', '_')).digest();
  const start = digest.readUIntBE(0, 3);
  for (let step = 0; ; step += 1) {
    const color = vocColor((start + step) % 2 ** 24);
    if (step > taken.size || !taken.has(color)) return color;
  }
}

/** Entry `index` of the VOC colour map: its bits dealt out to red, green and blue from the highest bit down. */
function vocColor(index: number): string {
  const channels = [0, 0, 0];
  let rest = index;
  for (const bit of BITS) {
    for (const channel of [0, 1, 2]) channels[channel] = (channels[channel] ?? 0) | (((rest >> channel) & 1) << bit);
    rest >>= 3;
  }
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
