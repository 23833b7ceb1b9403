import { unwrap } from './cairn-error.js';
import type { CairnClient } from './client.js';
import type { paths } from './schema.js';

type PageOf<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/vnd.cvat+json': infer Page } } } };
}
  ? Page
  : never;

/** Paths with paginated responses. */
export type ListPath = {
  [Path in keyof paths]: PageOf<Path> extends { next: string | null; results: unknown[] } ? Path : never;
}[keyof paths];

/** The item type of the list at a path. */
export type ItemOf<Path extends ListPath> = PageOf<Path> extends { results: (infer Item)[] } ? Item : never;

type ParametersOf<Path extends ListPath> = paths[Path] extends { get: { parameters: infer Parameters } }
  ? Parameters
  : never;
type QueryOf<Path extends ListPath> = ParametersOf<Path> extends { query?: infer Query } ? NonNullable<Query> : never;
type PathParametersOf<Path extends ListPath> = ParametersOf<Path> extends { path: infer Values } ? Values : undefined;

export type ListOptions<Path extends ListPath> = {
  readonly query?: Omit<QueryOf<Path>, 'page'>;
  /** Headers of every request, such as `X-Organization`. */
  readonly headers?: Readonly<Record<string, string>>;
} & (PathParametersOf<Path> extends undefined
  ? { readonly path?: undefined }
  : { readonly path: PathParametersOf<Path> });

const PAGE_SIZE = '100';

/**
 * Iterates over all rows of a list. Pages are requested as needed.
 * @example for await (const task of paginate(client, '/api/tasks', { query: { sort: 'id' } })) …
 * @throws CairnError
 */
export async function* paginate<Path extends ListPath>(
  client: CairnClient,
  path: Path,
  options: ListOptions<Path>,
): AsyncGenerator<ItemOf<Path>, void, undefined> {
  for (let page = 1; ; page += 1) {
    const query = { page_size: PAGE_SIZE, ...options.query, page };
    const params: object = { query, ...(options.path === undefined ? {} : { path: options.path }) };
    const { headers = {} } = options;
    const answer = await client.GET(path as '/api/tasks', { params, headers });
    const { results, next } = unwrap(answer) as unknown as { results: ItemOf<Path>[]; next: string | null };
    yield* results;
    if (next === null) return;
  }
}
