import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';

const MEANINGS = {
  409: 'The task already has a request, or the Idempotency-Key was used for another one',
  502: 'The function has failed, or its response is not valid',
  503: 'The function cannot be reached, or no agent runs it',
  504: 'The function did not respond in time',
} as const;

const DETAIL = { type: 'object', properties: { detail: { type: 'string' } }, required: ['detail'] };

/** Documents errors of functions: a JSON string, or an object with a `detail`. */
export const ApiFunctionErrors = (...statuses: readonly (keyof typeof MEANINGS)[]): MethodDecorator =>
  applyDecorators(
    ...statuses.map((status) =>
      ApiResponse({ status, description: MEANINGS[status], schema: { oneOf: [{ type: 'string' }, DETAIL] } }),
    ),
  );
