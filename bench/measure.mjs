// Interleaved rounds: disturbances affect both sides, and the median drops the worst of them.

/** @param {readonly number[]} values at least one */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** @param {readonly number[]} values at least one @param {number} share such as 0.99 */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

/**
 * Runs A B A B … and returns each side's numbers.
 *
 * @param {number} rounds
 * @param {() => Promise<number>} cairn
 * @param {() => Promise<number>} baseline
 */
export async function interleave(rounds, cairn, baseline) {
  const numbers = { cairn: [], baseline: [] };
  for (let round = 0; round < rounds; round += 1) {
    numbers.cairn.push(await cairn());
    numbers.baseline.push(await baseline());
  }
  return numbers;
}

/**
 * A table row: medians of the rounds. The ratio is always "speed of the server / speed of the baseline".
 * If every round has both, it is the median of the ratios of the rounds, since a disturbance slows both sides of a round.
 *
 * @param {{name: string, unit: string, cairn: number[], baseline?: number[], goal?: number, remark?: string}} measured
 *   `unit` ending in `/s` means more is better, otherwise less; `goal` is a ratio, or a limit if there is no baseline
 */
export function line({ name, unit, cairn, baseline = [], goal, remark = '' }) {
  const value = median(cairn);
  const baselineValue = baseline.length === 0 ? null : median(baseline);
  const share = (ours, theirs) => (unit.endsWith('/s') ? ours / theirs : theirs / ours);
  const ratio =
    baselineValue === null
      ? null
      : cairn.length === baseline.length
        ? median(cairn.map((ours, round) => share(ours, baseline[round])))
        : share(value, baselineValue);
  const isWithin = unit.endsWith('/s') ? value >= goal : value <= goal;
  const met = goal === undefined ? null : ratio === null ? isWithin : ratio >= goal;
  return {
    name,
    unit,
    cairn: value,
    baseline: baselineValue,
    ratio,
    goal: goal ?? null,
    met,
    remark,
    rounds: { cairn, baseline },
  };
}
