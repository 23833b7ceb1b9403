import { LAST_FRAME } from '../../../engines/annotations/frames.js';

/**
 * Frame numbers as a multirange of PostgreSQL: `{[0,3),[7,8)}`; null for none. Numbers beyond the last frame, which earlier
 * versions accepted, count as the last one, because PostgreSQL cannot store the end of their range.
 */
export function frameRanges(frames: Iterable<number>): string | null {
  const known = Array.from(frames, (frame) => Math.min(frame, LAST_FRAME));
  const sorted = [...new Set(known)].toSorted((a, b) => a - b);
  const ranges: [start: number, end: number][] = [];
  for (const frame of sorted) {
    const last = ranges.at(-1);
    if (last?.[1] === frame) last[1] = frame + 1;
    else ranges.push([frame, frame + 1]);
  }
  return ranges.length === 0 ? null : `{${ranges.map(([start, end]) => `[${start},${end})`).join(',')}}`;
}
