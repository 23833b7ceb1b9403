import { describe, expect, it } from '@jest/globals';
import type { AuditRecord } from '../../app/api';
import { ACTIONS, daysFilter, describeChange, objectPath } from './records';

const RECORD = {
  action: 'update:job',
  object_id: 5,
  job_id: 5,
  field: null,
  old_value: null,
  new_value: null,
  status_code: null,
  message: null,
  count: null,
} as AuditRecord;

describe('records of the audit log', () => {
  it.each<[Partial<AuditRecord>, string | undefined]>([
    [{}, '/jobs/5'],
    [{ action: 'create:shapes', object_id: null }, '/jobs/5'],
    [{ action: 'delete:task' }, undefined],
    [{ action: 'login' }, undefined],
  ])('link to their object %#', (values, path) => {
    expect(objectPath({ ...RECORD, ...values })).toBe(path);
  });

  it.each<[Partial<AuditRecord>, string]>([
    [{ field: 'state', old_value: 'new', new_value: 'completed' }, 'state: new → completed'],
    [{ field: 'assignee', old_value: 'ann' }, 'assignee: ann → none'],
    [{ status_code: 403, message: 'Not allowed' }, '403 Not allowed'],
    [{ count: 1200 }, '1,200 objects'],
    [{}, ''],
  ])('say what has changed %#', (values, text) => {
    expect(describeChange({ ...RECORD, ...values })).toBe(text);
  });

  it.each(['login', 'update:password', 'delete:access_token', 'create:intervals', 'export:backup'])(
    'are filtered by the action %s',
    (action) => expect(ACTIONS.map(({ value }) => value)).toContain(action),
  );

  it('are filtered by days', () => {
    expect(daysFilter('', '')).toBeUndefined();
    expect(JSON.parse(daysFilter('2026-11-01', '2026-11-02') ?? '')).toEqual({
      and: [
        { '>=': [{ var: 'timestamp' }, '2026-11-01T00:00:00Z'] },
        { '<=': [{ var: 'timestamp' }, '2026-11-02T23:59:59.999Z'] },
      ],
    });
  });
});
