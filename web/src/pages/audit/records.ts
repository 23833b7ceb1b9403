import { AUDIT_ACTIONS, RECORDED_ANNOTATIONS } from '#shared/audit-actions';
import type { AuditRecord } from '../../app/api';

/** Actions whose names are not plain English. */
const LABELS: Readonly<Record<string, string>> = {
  login: 'Log-in',
  logout: 'Log-out',
  'deny:login': 'Failed log-in',
  'deny:access': 'Rejected request',
};

/** The actions to filter by. */
export const ACTIONS = AUDIT_ACTIONS.map((value) => ({ value, label: LABELS[value] ?? value }));

export const CREDENTIALS = [
  { value: 'session', label: 'Session' },
  { value: 'token', label: 'Login token' },
  { value: 'bearer', label: 'Access token' },
  { value: 'basic', label: 'Password' },
];

/** @returns a filter in JSON Logic for the days in UTC, of which either may be empty */
export function daysFilter(from: string, to: string): string | undefined {
  const time = { var: 'timestamp' };
  const conditions = [
    ...(from === '' ? [] : [{ '>=': [time, `${from}T00:00:00Z`] }]),
    ...(to === '' ? [] : [{ '<=': [time, `${to}T23:59:59.999Z`] }]),
  ];
  return conditions.length === 0 ? undefined : JSON.stringify({ and: conditions });
}

const PAGES: Readonly<Record<string, string>> = {
  project: 'projects',
  task: 'tasks',
  job: 'jobs',
  organization: 'organizations',
};

/** @returns the page of the object, or of the job with the annotations; undefined if there is none or it was deleted */
export function objectPath({ action, object_id: id, job_id: job }: AuditRecord): string | undefined {
  const [verb = '', what = ''] = action.split(':');
  if (RECORDED_ANNOTATIONS.some((kind) => kind === what)) return job === null ? undefined : `/jobs/${job}`;
  const page = PAGES[what];
  return page === undefined || id === null || verb === 'delete' ? undefined : `/${page}/${id}`;
}

/** What was changed, or why the request was rejected. */
export function describeChange(record: AuditRecord): string {
  const { field, old_value: before, new_value: after, status_code: status, message, count } = record;
  if (field !== null) return `${field}: ${before ?? 'none'} → ${after ?? 'none'}`;
  if (status !== null) return `${status} ${message ?? ''}`.trim();
  if (message !== null) return message;
  return count === null ? '' : `${count.toLocaleString('en')} objects`;
}
