/** The server refused a request. */
export class CairnError extends Error {
  readonly status: number;
  /** The server's log has it, too. */
  readonly requestId: string | null;

  constructor(
    response: Response,
    /** JSON where the server answered with it, else text. */
    readonly body: unknown,
  ) {
    super(`${response.status} ${describe(body)}`);
    this.name = 'CairnError';
    this.status = response.status;
    this.requestId = response.headers.get('X-Request-Id');
  }
}

function describe(body: unknown): string {
  if (typeof body === 'string') return body;
  const { detail } = (body ?? {}) as { detail?: unknown };
  return typeof detail === 'string' ? detail : JSON.stringify(body);
}

/**
 * The data of an answer.
 * @example const task = unwrap(await client.GET('/api/tasks/{id}', { params: { path: { id: 5 } } }));
 * @throws CairnError when the server refused
 */
export function unwrap<Data>(answer: { data?: Data; error?: unknown; response: Response }): Data {
  if (!answer.response.ok) throw new CairnError(answer.response, answer.error);
  return answer.data as Data;
}
