import type { DumpRecord } from './dump-record.js';

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/**
 * Numbers that CVAT keeps as one text: `1,2.5` or `[1, 2.5]`, empty as `` or `[]`.
 * @throws CvatImportError that names record and field
 */
export function readNumbers(record: DumpRecord, field: string, fallback?: string): number[] {
  const text = record.text(field, fallback).trim();
  const inner = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (inner.trim() === '') return [];
  return inner.split(',').map((part) => {
    const number = NUMBER.test(part.trim()) ? Number(part) : NaN;
    if (!Number.isFinite(number)) throw record.wrong(field, 'a list of numbers');
    return number;
  });
}

/** The same for whole numbers. */
export function readIntegers(record: DumpRecord, field: string, fallback?: string): number[] {
  const numbers = readNumbers(record, field, fallback);
  if (!numbers.every(Number.isSafeInteger)) throw record.wrong(field, 'a list of whole numbers');
  return numbers;
}
