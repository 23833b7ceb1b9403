/** The largest end of a range in PostgreSQL. No task has so many frames, but earlier versions accepted such numbers. */
export const LAST_FRAME_END = 2 ** 31 - 1;

/** Frame numbers as a multirange of PostgreSQL: `{[0,3),[7,8)}`; null for none. Larger numbers count as the largest. */
export function frameRanges(frames: Iterable<number>): string | null {
  const known = Array.from(frames, (frame) => Math.min(frame, LAST_FRAME_END - 1));
  const sorted = [...new Set(known)].toSorted((a, b) => a - b);
  const ranges: [start: number, end: number][] = [];
  for (const frame of sorted) {
    const last = ranges.at(-1);
    if (last?.[1] === frame) last[1] = frame + 1;
    else ranges.push([frame, frame + 1]);
  }
  return ranges.length === 0 ? null : `{${ranges.map(([start, end]) => `[${start},${end})`).join(',')}}`;
}
