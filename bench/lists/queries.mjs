// The queries on the two long lists, and the users who send them.

/** The users of seed.sql; `organization` is the context of their requests. */
export const PEOPLE = {
  administrator: { organization: '' },
  maintainer: { organization: 'org3' },
  person: { organization: '' },
  worker: { organization: 'org3' },
};

const logic = (rule) => ({ filter: JSON.stringify(rule) });
const field = (name) => ({ var: name });
const sorts = (names) => names.split(' ').map((sort) => ({ sort }));

const TASKS = [
  {},
  { page: '1000' },
  ...sorts('name -name project_name owner -assignee status subset mode dimension tracker_link validation_mode'),
  ...sorts('project_id -updated_date'),
  { status: 'validation' },
  { assignee: 'person7' },
  { owner: 'person9' },
  { project_name: 'City 77' },
  { subset: 'Test' },
  { name: 'Crossing 77777' },
  { search: 'crossing' },
  { search: '7777' },
  { search: 'person7' },
  { search: 'nowhere' },
  logic({ '==': [field('owner'), 'person9'] }),
  logic({ in: [field('status'), ['validation', 'completed']] }),
  logic({ in: ['7777', field('name')] }),
  logic({ in: ['ross', field('name')] }),
  logic({ '<=': ['2020-01-01', field('updated_date'), '2040-01-01'] }),
  logic({ and: [{ '<=': [field('id'), 50_000] }, { '!': field('assignee') }] }),
];

const JOBS = [
  {},
  { page: '1000' },
  ...sorts('task_name -task_name project_name assignee -assignee state -state stage dimension type parent_job_id'),
  ...sorts('task_id project_id -updated_date'),
  { state: 'new' },
  { stage: 'acceptance', state: 'completed' },
  { assignee: 'person7' },
  { task_id: '777' },
  { project_name: 'City 77' },
  { task_name: 'Crossing 77777' },
  { type: 'ground_truth' },
  { search: 'crossing' },
  { search: '7777' },
  { search: 'person7' },
  { search: 'nowhere' },
  logic({ '==': [field('assignee'), 'person7'] }),
  logic({ in: [field('state'), ['new', 'rejected']] }),
  logic({ in: ['7777', field('task_name')] }),
  logic({ in: ['ross', field('task_name')] }),
  logic({ '<=': [field('updated_date'), '2040-01-01'] }),
  logic({ and: [{ '<=': [field('id'), 500_000] }, { '!': field('assignee') }] }),
];

/** All measured queries. A user sees fewer than 1,000 pages of tasks. */
export const QUERIES = [
  ...TASKS.map((query) => ({ list: 'tasks', query })),
  ...JOBS.map((query) => ({ list: 'jobs', query })),
];

/** For tables and file names. */
export const titleOf = ({ list, query }) =>
  `${list} ${Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')}`.trim();
