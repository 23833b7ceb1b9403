import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { raw } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { planText } from '../../support/statements.js';

const EXPLAIN = raw(`explain select id from webhook_delivery where webhook_id = 1 and next_attempt_at <= now()
  order by next_attempt_at, id limit 100`);

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
  await app.db.query(raw('analyze webhook_delivery'), { dynamic: true });
});
afterAll(() => app.close());

describe('a query in index order', () => {
  it('does not sort, even if the database expects almost no rows', async () => {
    expect(planText(await app.db.query(EXPLAIN))).toContain('Sort');
    const plan = planText(await app.db.queryInIndexOrder(EXPLAIN));
    expect(plan).toContain('using ix_webhook_delivery_due');
    expect(plan).not.toContain('Sort');
  });

  it('restores the settings of its connection, even after an error', async () => {
    await expect(app.db.queryInIndexOrder(raw('select 1 / 0'))).rejects.toMatchObject({ code: '22012' });
    await app.db.queryInIndexOrder(EXPLAIN);
    for (let connection = 0; connection < 3; connection += 1) {
      expect(await app.db.query(raw('show enable_sort'))).toEqual([{ enable_sort: 'on' }]);
    }
    expect(app.db.connections()).toMatchObject({ busy: 0, waiting: 0 });
  });
});
