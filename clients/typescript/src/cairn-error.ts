/** An error response of the server. */
export class CairnError extends Error {
  readonly status: number;
  /** ID of the request in the server's log. */
  readonly requestId: string | null;

  constructor(
    response: Response,
    /** Parsed JSON, or text for other responses. */
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
 * Returns the data of a response.
 * @example const task = unwrap(await client.GET('/api/tasks/{id}', { params: { path: { id: 5 } } }));
 * @throws CairnError for error responses
 */
export function unwrap<Data>(answer: { data?: Data; error?: unknown; response: Response }): Data {
  if (!answer.response.ok) throw new CairnError(answer.response, answer.error);
  return answer.data as Data;
}
