import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';

export type ErrorStatus = 400 | 401 | 403 | 404 | 406 | 409 | 410 | 412 | 413 | 415 | 416 | 429 | 500 | 503 | 507;

const DETAIL = { type: 'object', properties: { detail: { type: 'string' } }, required: ['detail'] };

/** A 400 mirrors the body that broke a rule; the other refusals have a `detail`. */
const REFUSAL = {
  oneOf: [
    {
      type: 'object',
      additionalProperties: true,
      description: 'Has the structure of the body, with messages for each invalid field',
    },
    { type: 'array', items: { type: 'string' }, description: 'Errors that do not belong to a single field' },
    { type: 'string' },
  ],
};

export const ERROR_MEANINGS: Readonly<Record<ErrorStatus, string>> = {
  400: 'A value of the request is invalid',
  401: 'Credentials are missing or invalid',
  403: 'The permission named by x-permission is missing',
  404: 'The object does not exist, or the caller may not see it',
  406: 'The version or type requested with Accept is not supported',
  409: 'The same operation is still running, or the Idempotency-Key was used for another one',
  410: 'The operation has moved to another URL',
  412: 'The object has changed since the response with the ETag in If-Match',
  413: 'The body is too large',
  415: 'The content type of the body is not supported',
  416: 'The requested range is beyond the end of the file',
  429: 'Too many requests; Retry-After says how many seconds to wait',
  500: 'Internal error. The log of the server contains the request id.',
  503: 'The database is temporarily unavailable',
  507: 'The disk of the server is full',
};

/** What prevents the operation: the id of a background request, or a description. */
const CONFLICT = {
  oneOf: [DETAIL, { type: 'object', properties: { rq_id: { type: 'string' } }, required: ['rq_id'] }],
};

/** The body of a 500 contains the request id that is in the log. */
const DEFECT = { ...DETAIL, properties: { ...DETAIL.properties, request_id: { type: 'string' } } };

/** Schemas of error bodies. */
export const ERROR_BODIES = { detail: DETAIL, refusal: REFUSAL, conflict: CONFLICT, defect: DEFECT };

const bodyOf = (status: ErrorStatus): object =>
  status === 400 ? REFUSAL : status === 409 ? CONFLICT : status === 500 ? DEFECT : DETAIL;

/**
 * Documents errors of a route in addition to those that every route of its kind has (these are added to the document).
 */
export const ApiErrors = (...statuses: readonly ErrorStatus[]): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ...statuses.map((status) => ApiResponse({ status, description: ERROR_MEANINGS[status], schema: bodyOf(status) })),
  );

const TEXT = { type: 'string' } as const;

/** Documents errors of a route whose body is plain text where the contract requires it, and JSON elsewhere. */
export const ApiTextErrors = (...statuses: readonly ErrorStatus[]): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ...statuses.map((status) =>
      ApiResponse({
        status,
        description: `${ERROR_MEANINGS[status]}. The body is text or JSON`,
        content: {
          'application/vnd.cvat+json': { schema: bodyOf(status) },
          'text/html': { schema: TEXT },
        },
      }),
    ),
  );

/** Documents that an object is missing on the server or in the bucket: a JSON string. */
export const ApiMissing = (description: string): MethodDecorator =>
  ApiResponse({ status: 404, description, schema: { oneOf: [TEXT, DETAIL] } });

/** Documents the errors of a bulk change, which name the objects that prevent it. */
export const ApiErrorsOfMany = (...statuses: readonly ErrorStatus[]): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ...statuses.map((status) =>
      ApiResponse({
        status,
        description: `${ERROR_MEANINGS[status]}. \`ids\` lists the objects concerned`,
        schema: { ...DETAIL, properties: { ...DETAIL.properties, ids: { type: 'array', items: { type: 'integer' } } } },
      }),
    ),
  );
