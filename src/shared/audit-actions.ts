/** Resources whose changes are recorded, with the property that names an object in its record; null: it has no name. */
export const RECORDED_RESOURCES: Readonly<Record<string, string | null>> = {
  project: 'name',
  task: 'name',
  job: null,
  label: 'name',
  issue: null,
  comment: 'message',
  organization: 'name',
  membership: null,
  invitation: null,
  cloudstorage: 'display_name',
  webhook: null,
  user: 'username',
  access_token: 'name',
};

/** Types of annotations, whose saves are recorded. */
export const RECORDED_ANNOTATIONS = ['tags', 'shapes', 'tracks', 'intervals'] as const;

/** What users do with their own login, and what administrators do with the logins of others. */
export const LOGIN_ACTIONS = ['login', 'logout', 'update:password', 'reset:password', 'delete:session'] as const;

/** Rejected requests. */
export const DENIALS = ['deny:login', 'deny:access'] as const;

const WORK = ['export:dataset', 'import:dataset', 'export:backup', 'import:backup', 'export:events', 'call:function'];

const changesOf = (what: string): string[] => ['create', 'update', 'delete'].map((verb) => `${verb}:${what}`);

/** All actions in the audit log. */
export const AUDIT_ACTIONS: readonly string[] = [
  ...LOGIN_ACTIONS,
  ...DENIALS,
  ...Object.keys(RECORDED_RESOURCES).flatMap(changesOf),
  ...RECORDED_ANNOTATIONS.flatMap(changesOf),
  ...WORK,
];
