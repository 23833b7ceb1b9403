import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import type { Tx } from '../../core/database/tx.js';
import type { Sql } from '../../engines/sql/sql.js';
import { AnnotationRepository } from './annotation.repository.js';

describe('AnnotationRepository', () => {
  it('sends the ids of objects to delete as text once, however often the statement uses them', async () => {
    const sent: Sql[] = [];
    const tx = {
      query: (statement: Sql) => {
        sent.push(statement);
        return Promise.resolve([]);
      },
    } as unknown as Tx;
    const shapes = Array.from({ length: 1_000 }, (_, index) => index + 1);
    const none = { tags: [], tracks: [], intervals: [] };

    await new AnnotationRepository().delete(
      tx,
      [
        { jobId: 7, shapes, ...none },
        { jobId: 8, shapes: [], ...none },
      ],
      1,
    );

    const values = sent.flatMap((statement) => statement.compile().values);
    expect(values).toContain(`{${shapes.join(',')}}`);
    expect(values).toContain(`{${shapes.map(() => 7).join(',')}}`);
    expect(values.filter(Array.isArray)).toEqual(Array.from({ length: 6 }, () => [7]));
  });
});
