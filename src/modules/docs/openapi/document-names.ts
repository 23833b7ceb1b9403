import type { Operation } from './operation.js';

const WORDS = {
  head: 'head',
  options: 'options',
  post: 'create',
  put: 'update',
  patch: 'partial_update',
  delete: 'destroy',
} as const;

/** Gives an operation its id, and a standard summary if it has none. */
export function addNames(operation: Operation): void {
  const id = operationId(operation);
  operation.body.operationId = id;
  operation.body.summary = operation.body.summary || standardSummary(operation, id);
}

/** `tasks_list`, `tasks_retrieve_data_meta`, `auth_create_login`: the names that generated clients use. */
export function operationId(operation: Operation): string {
  const [first = '', ...rest] = names(operation.path);
  const word = operation.verb === 'get' ? (isList(operation) ? 'list' : 'retrieve') : WORDS[operation.verb];
  const many =
    rest.length === 0 && !operation.path.includes('{') && ['put', 'patch', 'delete'].includes(operation.verb);
  return [first, ...(many ? ['bulk'] : []), word, ...rest].join('_').replaceAll('-', '_');
}

function standardSummary({ path }: Operation, id: string): string {
  const [resource = '', ...rest] = names(path);
  if (rest.length > 0) return '';
  const one = resource.replace(/s$/, '');
  const article = /^[aeiou]/.test(one) ? 'an' : 'a';
  const summaries: Readonly<Record<string, string>> = {
    [`${resource}_list`]: `List ${resource}`,
    [`${resource}_create`]: `Create ${article} ${one}`,
    [`${resource}_retrieve`]: `Get ${article} ${one}`,
    [`${resource}_partial_update`]: `Update ${article} ${one}. Keys that are absent keep their values.`,
    [`${resource}_update`]: `Update ${article} ${one}`,
    [`${resource}_destroy`]: `Delete ${article} ${one}`,
  };
  return summaries[id] ?? '';
}

/** Segments of a path without `api` and parameters. A parameter such as `{fileId}` adds `file`. */
const names = (path: string): string[] =>
  path
    .split('/')
    .map((segment) => /^\{(\w+)Id\}$/.exec(segment)?.[1] ?? segment)
    .filter((segment) => segment !== '' && segment !== 'api' && !segment.startsWith('{'));

function isList({ body }: Operation): boolean {
  const schema = Object.values(body.responses['200']?.content ?? {})[0]?.schema;
  return schema?.type === 'array' || /\/Paginated\w+List$/.test(schema?.$ref ?? '');
}
