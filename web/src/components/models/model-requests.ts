import { queryOptions } from '@tanstack/react-query';
import { CairnError, unwrap } from 'cairn-client';
import { api, type NativeFunction, readAll } from '../../app/api';
import { FunctionFailed } from '../../app/function-failed';
import { explain } from '../../app/problems';
import { ifAllowed } from '../if-allowed';
import { isRunActive, type Model, type ModelRun } from './model';

/** The functions that the user can call; none if the user must not see them. */
export const readModels = async (signal: AbortSignal): Promise<readonly Model[]> =>
  (await ifAllowed(api.GET('/api/lambda/functions', { signal }).then(unwrap))) ?? [];

const TITLES: Readonly<Record<number, string>> = {
  500: 'The function failed',
  502: 'The function failed',
  503: 'The function is not available',
  504: 'The function took too long',
};

/**
 * Calls a function and waits for its answer. Nothing is stored.
 * @throws FunctionFailed if there is no answer
 */
export async function callModel(
  { id }: Pick<Model, 'id'>,
  body: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<unknown> {
  try {
    const params = { path: { id } };
    const options = { params, body: body as never, ...(signal === undefined ? {} : { signal }) };
    return unwrap(await api.POST('/api/lambda/functions/{id}', options));
  } catch (error) {
    const title = error instanceof CairnError ? TITLES[error.status] : undefined;
    throw title === undefined ? error : new FunctionFailed(title, explain(error).text, error);
  }
}

/** The object that a detector annotates. */
export interface RunTarget {
  readonly taskId: number;
  /** Undefined: the whole task. */
  readonly jobId: number | undefined;
}

/** What a detector does with a task or job. */
export interface RunOptions {
  readonly function: string;
  readonly threshold?: number;
  /** Of detectors. */
  readonly mapping?: Readonly<Record<string, unknown>>;
  readonly conv_mask_to_poly?: boolean;
  /** Of functions that join rectangles to tracks. */
  readonly max_distance?: number;
  /** Whether existing annotations are deleted. */
  readonly cleanup: boolean;
}

export async function startRun({ taskId, jobId }: RunTarget, options: RunOptions): Promise<ModelRun> {
  const body = { ...options, task: taskId, ...(jobId === undefined ? {} : { job: jobId }) };
  return unwrap(await api.POST('/api/lambda/requests', { body: body as never }));
}

const readRun = (id: string, signal: AbortSignal): Promise<ModelRun | null> =>
  ifAllowed(api.GET('/api/lambda/requests/{id}', { params: { path: { id } }, signal }).then(unwrap));

export async function cancelRun(id: string): Promise<void> {
  unwrap(await api.DELETE('/api/lambda/requests/{id}', { params: { path: { id } } }));
}

/**
 * Reads the run of a task that is not over. Lists do not contain failed runs.
 * @param known the run that was read before, whose end is read too
 * @returns null if there is none
 */
export async function readRunOf(
  taskId: number,
  known: ModelRun | null | undefined,
  signal: AbortSignal,
): Promise<ModelRun | null> {
  const runs = (await ifAllowed(api.GET('/api/lambda/requests', { signal }).then(unwrap))) ?? [];
  const active = runs.find((run) => run.function.task === taskId && isRunActive(run));
  if (active !== undefined) return active;
  return known && isRunActive(known) ? await readRun(known.id, signal) : (known ?? null);
}

/** The functions of agents, with what `/api/lambda/functions` does not say. */
export const nativeFunctionsQuery = queryOptions({
  queryKey: ['functions'],
  queryFn: () => readAll('/api/functions', {}),
});

export const nativeFunctionQuery = (id: number) =>
  queryOptions({
    queryKey: ['functions', id],
    queryFn: async ({ signal }) => unwrap(await api.GET('/api/functions/{id}', { params: { path: { id } }, signal })),
  });

export async function changeVisibility(id: number, visibility: NativeFunction['visibility']): Promise<void> {
  unwrap(await api.PATCH('/api/functions/{id}', { params: { path: { id } }, body: { visibility } }));
}

export async function deleteFunction(id: number): Promise<void> {
  unwrap(await api.DELETE('/api/functions/{id}', { params: { path: { id } } }));
}
