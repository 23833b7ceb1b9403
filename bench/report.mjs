// The table for people, and the JSON with all results.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { dirname } from 'node:path';

/** @returns the table as aligned Markdown, readable as plain text */
export function table(lines) {
  const head = ['measurement', 'Cairn', 'baseline', 'ratio', 'goal', 'met', 'remark'];
  const rows = lines.map((entry) => [
    entry.name,
    amount(entry.cairn, entry.unit),
    entry.baseline === null ? '' : amount(entry.baseline, entry.unit),
    entry.ratio === null ? '' : percent(entry.ratio),
    entry.goal === null ? '' : goal(entry),
    entry.met === null ? '' : entry.met ? 'yes' : 'NO',
    entry.remark,
  ]);
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const write = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [write(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(write)].join('\n');
}

const goal = ({ goal: value, baseline, unit }) => {
  if (baseline !== null) return `from ${percent(value)}`;
  return `${unit.endsWith('/s') ? 'from' : 'under'} ${value} ${unit}`;
};

const percent = (ratio) => `${(ratio * 100).toFixed(ratio < 0.1 ? 1 : 0)} %`;

function amount(value, unit) {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit}`;
}

/** What the numbers depend on. */
export function machine() {
  return {
    date: new Date().toISOString(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cores: cpus().length,
    processor: cpus()[0]?.model ?? '',
    memoryGB: Math.round(totalmem() / 1e9),
    /**
     * Number of processes that wanted a core in the last minute. Other load shifts ratios, too, so each run reports it.
     */
    load: Math.round(loadavg()[0] * 10) / 10,
  };
}

/** @returns one sentence about when and where the numbers were measured */
export function circumstances({ date, node, cores, load }) {
  const busy = load > cores / 2 ? ' **The machine was busy: these numbers are too low, and the ratios are, too.**' : '';
  return `${date.slice(0, 10)}, ${cores} cores, Node ${node.slice(1)}, load ${load} before the run.${busy}`;
}

const MARKS = ['<!-- begin of the run -->', '<!-- end of the run -->'];

/** Puts `text` between the markers of a document. */
export async function replaceRun(file, text) {
  const document = await readFile(file, 'utf8');
  const [begin, end] = MARKS.map((mark) => document.indexOf(mark));
  if (begin < 0 || end < begin) throw new Error(`${file} has no place for a run: ${MARKS.join(' … ')}`);
  await writeFile(file, `${document.slice(0, begin)}${MARKS[0]}\n\n${text}\n\n${document.slice(end)}`);
}

/** Writes all measurements, including every round. */
export async function writeResults(file, results) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
}
