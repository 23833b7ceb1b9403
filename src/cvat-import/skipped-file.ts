import { open } from 'node:fs/promises';
import { CvatImportError } from './cvat-import-error.js';
import type { DumpRecord } from './dump-record.js';
import { readDump } from './read-dump.js';
import type { SkippedRecords } from './skipped-records.js';

const BATCH = 1000;

/**
 * Writes the skipped records to a file that only its owner can read: one JSON object per line with the record as it is in
 * the dump, the wrong field, and the reason.
 * @returns how many
 */
export async function writeSkipped(skipped: SkippedRecords, dump: string, path: string): Promise<number> {
  const file = await open(path, 'w', 0o600).catch((error: unknown) => {
    throw new CvatImportError(`The file ${path} for skipped records cannot be written: ${(error as Error).message}.`, {
      cause: error,
    });
  });
  let count = 0;
  try {
    const batch: DumpRecord[] = [];
    const write = async (): Promise<void> => {
      const records = batch.splice(0);
      const reasons = await skipped.of(records);
      const lines = records.flatMap((record) => {
        const found = reasons.get(record.name);
        return found === undefined ? [] : [`${JSON.stringify({ ...found, ...record.raw })}\n`];
      });
      count += lines.length;
      await file.appendFile(lines.join(''));
    };
    for await (const record of readDump(dump)) {
      batch.push(record);
      if (batch.length >= BATCH) await write();
    }
    await write();
  } finally {
    await file.close();
  }
  return count;
}
