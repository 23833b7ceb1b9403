import type { MigrationInterface, QueryRunner } from 'typeorm';
import { safeDrawing } from '../engines/annotations/skeleton-drawing.js';

/** A drawing may have a megabyte. */
const BATCH = 10;

/** Removes scripts, links and the like from drawings of skeletons that were stored before new ones were cleaned. */
export class SafeDrawings1795825800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    let last = 0;
    for (;;) {
      const labels = (await runner.query(
        `select id, svg from label where id > $1 and svg <> '' order by id limit ${BATCH}`,
        [last],
      )) as { id: number; svg: string }[];
      for (const { id, svg } of labels) {
        const safe = safeDrawing(svg);
        if (safe !== svg) await runner.query('update label set svg = $2 where id = $1', [id, safe]);
        last = id;
      }
      if (labels.length < BATCH) return;
    }
  }

  /** What was removed is gone. */
  async down(): Promise<void> {
    await Promise.resolve();
  }
}
