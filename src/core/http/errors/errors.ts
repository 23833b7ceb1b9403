/**
 * Typed errors; `error.filter.ts` renders them. `body` is sent as JSON, or, if `text` is set, as bare text/html
 * (some clients of the contract expect that form).
 */
export class ApiError extends Error {
  readonly text: boolean = false;
  readonly headers: Readonly<Record<string, string>> = {};

  constructor(
    readonly status: number,
    readonly body: unknown,
  ) {
    super(typeof body === 'string' ? body : JSON.stringify(body));
    this.name = new.target.name;
  }
}

/** 400 with a body that mirrors the fields: `{"name": ["This field is required."]}`. */
export class Invalid extends ApiError {
  constructor(fields: Readonly<Record<string, unknown>>) {
    super(400, fields);
  }
}

/** 400 with a list of one text: a rule was broken during saving or lookup. */
export class InvalidList extends ApiError {
  constructor(text: string) {
    super(400, [text]);
  }
}

/** 400 with a JSON string. */
export class InvalidString extends ApiError {
  constructor(text: string) {
    super(400, text);
  }
}

/** 401: missing or invalid credential. */
export class Unauthenticated extends ApiError {
  override readonly headers = { 'WWW-Authenticate': 'Token' };
  /** Whether there were credentials, which were refused. */
  readonly isRefusal: boolean;

  constructor(detail?: string) {
    super(401, { detail: detail ?? 'Authentication credentials were not provided.' });
    this.isRefusal = detail !== undefined;
  }
}

/** 403. */
export class Forbidden extends ApiError {
  /** @param organizationId the organization of the object, for the audit log */
  constructor(
    detail = 'You do not have permission to perform this action.',
    readonly organizationId: number | null = null,
  ) {
    super(403, { detail });
  }
}

/** 404 with a detail: `NotFound.of('Task')` for an unknown id, no argument for a malformed id. */
export class NotFound extends ApiError {
  constructor(detail = 'Not found.') {
    super(404, { detail });
  }

  static of(model: string): NotFound {
    return new NotFound(`No ${model} matches the given query.`);
  }
}

/** 409 that names the background request in conflict. */
export class OperationInProgress extends ApiError {
  constructor(requestId: string) {
    super(409, { rq_id: requestId });
  }
}

/** 415. */
export class UnsupportedMediaType extends ApiError {
  constructor(type: string) {
    super(415, { detail: `Unsupported media type "${type}" in request.` });
  }
}

/** 429 with the number of seconds to wait. */
export class Throttled extends ApiError {
  override readonly headers: Readonly<Record<string, string>>;

  constructor(seconds: number) {
    super(429, { detail: `Request was throttled. Expected available in ${seconds} seconds.` });
    this.headers = { 'Retry-After': String(seconds) };
  }
}

/** Nobody reads this response. The status is nginx's. */
export class ClientGone extends ApiError {
  constructor() {
    super(499, { detail: 'The client has closed the connection.' });
  }
}

/** 503 with the number of seconds to wait: the same request may succeed later. */
export class Unavailable extends ApiError {
  override readonly headers = { 'Retry-After': '5' };

  constructor(detail: string) {
    super(503, { detail });
  }
}

/** 507: the disk of the server, or that of its database, is full. */
export class StorageFull extends ApiError {
  constructor(detail = 'The server has no space left to store this.') {
    super(507, { detail });
  }
}

/** Any status with a bare text body. */
export class PlainError extends ApiError {
  override readonly text = true;
}

/** For the values in a `PlainError`, which clients display as HTML. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** 410: exports used to be started by a GET. @param start the path that starts one now */
export const movedExport = (start: string): PlainError =>
  new PlainError(
    410,
    `This endpoint is no longer supported.\nTo initiate the export process, use POST ${start}.\n` +
      'To check the status of the process, use GET /api/requests/rq_id.\n' +
      'To download the file, use the result_url of the request.',
  );

/** 410: imports and the like used to be tracked with a query parameter of the write. */
export const movedStatus = (process: 'import' | 'merge' = 'import'): PlainError =>
  new PlainError(
    410,
    `This endpoint no longer supports checking the status of the ${process} process.\n` +
      'To check the status of the process, use GET /api/requests/rq_id.',
  );
