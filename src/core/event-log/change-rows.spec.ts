import { describe, expect, it } from '@jest/globals';
import { type ObjectChange, rowsOf } from './change-rows.js';

const NAMES = { emails: new Map([[3, 'ann@example.com']]), slugs: new Map([[7, 'lab']]) };

const call = (object: object, taskId: number | null = null): ObjectChange => ({
  name: 'call:function',
  sender: { id: 3, username: 'ann' },
  occurredAt: '2026-01-02T03:04:05.678Z',
  organizationId: 7,
  projectId: 5,
  context: { origin: null, taskId },
  after: { object: object as Record<string, unknown> },
});

describe('the rows of a call of a function', () => {
  it('have the payload of the contract', () => {
    const [row, ...others] = rowsOf(
      call({ function: { id: 'yolo' }, category: 'batch', parameters: { threshold: 0.5 }, task_id: 11 }),
      NAMES,
    );
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      scope: 'call:function',
      source: 'server',
      user_id: 3,
      user_email: 'ann@example.com',
      org_id: 7,
      org_slug: 'lab',
      project_id: 5,
      task_id: 11,
      job_id: null,
      is_audit: true,
    });
    expect(JSON.parse(row?.payload ?? '')).toEqual({
      function: { id: 'yolo' },
      category: 'batch',
      parameters: { threshold: 0.5 },
      request: { id: null, user_agent: null },
    });
  });

  it('are not in the audit log for interactive calls', () => {
    const rows = rowsOf(call({ function: { id: 'sam' }, category: 'interactive', job_id: 13 }, 11), NAMES);
    expect(rows).toMatchObject([{ task_id: 11, job_id: 13, is_audit: false }]);
  });
});
