import { describe, expect, it } from '@jest/globals';
import { statementSummary } from './traced-statement.js';

describe('statementSummary', () => {
  it.each([
    ['select * from task where id = $1', 'select task'],
    ['\n  with recursive open as (select 1 from webhook) select * from open', 'select webhook'],
    [
      'with written as (insert into outbox_event (name) select $1 returning id) insert into outbox_pending',
      'insert outbox_event',
    ],
    ['insert into presence values ($1) on conflict do update set at = $2', 'insert presence'],
    ['update job set state = $1', 'update job'],
    ['select id from task where id = $1 for no key update', 'select task'],
    ['select id from task for update skip locked', 'select task'],
    ['delete from outbox_pending where event_id = any($1)', 'delete outbox_pending'],
    ['select count(*) from unnest($1::int[]) id join job on job.id = id', 'select'],
    ['select nextval($1)', 'select'],
    ['commit', 'commit'],
  ])('of %j is %j', (text, summary) => expect(statementSummary(text)).toBe(summary));
});
