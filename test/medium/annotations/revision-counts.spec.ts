import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Tx } from '../../../src/core/database/tx.js';
import type { Sql } from '../../../src/engines/sql/sql.js';
import { RevisionRepository } from '../../../src/modules/annotations/history/revision.repository.js';
import { PendingRevision } from '../../../src/modules/annotations/history/pending-revision.js';
import type { AnnotatedTask } from '../../../src/modules/annotations/annotated-task.repository.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { planText } from '../../support/statements.js';

const SHAPES = 20_000;
const FILL = `insert into annotation_shape (id, job_id, label_id, frame, z_order, occluded, outside, rotation, score, type, source, points, attributes, revision_id)
  select number, 1, 1, 0, 0, false, false, 0, 1, 'rectangle', 'manual', '{}', '[]', 1 from generate_series(1, ${SHAPES}) number`;

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

describe('the numbers of objects that a save removed', () => {
  it('are counted by id even if the statistics say that the table is empty', async () => {
    const saving = new PendingRevision(2, 'clear', {} as AnnotatedTask);
    saving.changedJobs.add(1);
    const sent: Sql[] = [];
    const tx = { query: (statement: Sql) => Promise.resolve(sent.push(statement)) } as unknown as Tx;
    await new RevisionRepository().removed(tx, [saving]);
    const { text, values } = sent[0]?.compile() ?? { text: '', values: [] };

    await app.db.withClient(async (client) => {
      await client.query('begin');
      await client.query(FILL);
      await client.query('delete from annotation_shape');
      await client.query('analyze annotation_shape');
      await client.query(FILL);
      const plan = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      await client.query('rollback');
      expect(planText(plan.rows)).toContain('pk_annotation_shape on annotation_shape');
      expect(planText(plan.rows)).not.toContain('ix_annotation_shape_job_id_frame');
    });
  });
});
