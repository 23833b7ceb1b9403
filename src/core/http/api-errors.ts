import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';

export type ErrorStatus = 400 | 401 | 403 | 404 | 406 | 409 | 413 | 415 | 429 | 500 | 503;

const DETAIL = { type: 'object', properties: { detail: { type: 'string' } }, required: ['detail'] };

/** A broken rule of 400 has the form of what it is about; the others say it in `detail`. */
const REFUSAL = {
  oneOf: [
    { type: 'object', additionalProperties: true, description: 'Mirrors the body: sentences for each wrong field' },
    { type: 'array', items: { type: 'string' }, description: 'A rule that is not about one field' },
    { type: 'string' },
  ],
};

export const ERROR_MEANINGS: Readonly<Record<ErrorStatus, string>> = {
  400: 'A value of the request is wrong',
  401: 'No credentials, or wrong ones',
  403: 'The permission named by x-permission is missing',
  404: 'There is no such object, or the caller may not know of it',
  406: 'The version or type that Accept asks for is not served',
  409: 'The same operation is still running',
  413: 'The body is too large',
  415: 'The body has a type that is not read here',
  429: 'Too many requests; Retry-After says how many seconds to wait',
  500: 'A defect of the server; its log has the request id',
  503: 'The database is not available at the moment',
};

/** Bodies of errors as schemas. */
export const ERROR_BODIES = { detail: DETAIL, refusal: REFUSAL };

/** Documents errors of a route beyond those that every route of its kind has (they are added to the document). */
export const ApiErrors = (...statuses: readonly ErrorStatus[]): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ...statuses.map((status) =>
      ApiResponse({ status, description: ERROR_MEANINGS[status], schema: status === 400 ? REFUSAL : DETAIL }),
    ),
  );
