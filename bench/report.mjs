// The table for people and the JSON beside it.

import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';

/** @returns the table as Markdown, aligned so that it is readable as it is */
export function table(lines) {
  const head = ['what', 'Cairn', 'bare program', 'ratio', 'goal', 'reached', 'remark'];
  const rows = lines.map((entry) => [
    entry.name,
    amount(entry.cairn, entry.unit),
    entry.bare === null ? '' : amount(entry.bare, entry.unit),
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

const goal = ({ goal: value, bare, unit }) => (bare === null ? `under ${value} ${unit}` : `from ${percent(value)}`);

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
  };
}

/** Writes everything that was measured, every round of it. */
export async function writeResults(file, results) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
}
