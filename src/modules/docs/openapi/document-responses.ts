import { ERROR_BODIES, ERROR_MEANINGS, type ErrorStatus } from '../../../core/http/errors/api-errors.js';
import { LATEST_VERSION } from '../../../core/versioning/accept.js';
import type { ComponentsObject, Operation, OperationBody } from './operation.js';

/** Headers that make a request conditional. */
export const CONDITION_PARAMETERS: NonNullable<ComponentsObject['parameters']> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Any text of up to 255 characters. A request that repeats it within 24 hours gets the first response again.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETag of an earlier response: 304 if nothing has changed since.',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'ETag of an earlier response: 412, without a change, if the object has changed since.',
    schema: { type: 'string' },
  },
};

/** Permissions of changes. A change of a single object can be conditional. */
const CHANGE = /^\w+:(?:update|change|delete)/;

/** Revokes its own credentials, so it cannot be repeated. */
const LOG_OUT = '/api/auth/logout';

/** Streamed responses, whose ETag would come too late. */
const STREAMED = /\/revisions\/\{revision\}\/changes$/;

/** Documents which operations take idempotency keys, `If-None-Match` or `If-Match`. */
export function addConditions({ path, verb, body }: Operation): void {
  if ((verb === 'post' || verb === 'patch') && path.startsWith('/api/') && path !== LOG_OUT)
    take(body, 'IdempotencyKey', '409', { $ref: '#/components/responses/InProgress' });
  const scope = body['x-permission'];
  if (typeof scope !== 'string') return;
  if (verb === 'get' && returnsObject(body) && !STREAMED.test(path))
    take(body, 'IfNoneMatch', '304', { description: 'Nothing has changed' });
  const ofObject = /(?:\{id\}|\{key\}|\/annotations\/)$/.test(path);
  if (['put', 'patch', 'delete'].includes(verb) && ofObject && CHANGE.test(scope))
    take(body, 'IfMatch', '412', { $ref: '#/components/responses/Outdated' });
}

function take(
  body: OperationBody,
  parameter: string,
  status: string,
  response: OperationBody['responses'][string],
): void {
  body.parameters = [...(body.parameters ?? []), { $ref: `#/components/parameters/${parameter}` }];
  body.responses[status] ??= response;
}

/** Lists have no ETag. */
function returnsObject({ responses }: OperationBody): boolean {
  const content = responses['200']?.content?.[`application/vnd.cvat+json; version=${LATEST_VERSION}`];
  return content?.schema?.$ref !== undefined && !/\/Paginated\w+List$/.test(content.schema.$ref);
}

const NAMES: Readonly<Record<ErrorStatus, string>> = {
  400: 'Invalid',
  401: 'Unauthenticated',
  403: 'Forbidden',
  404: 'NotFound',
  406: 'NotAcceptable',
  409: 'InProgress',
  410: 'Gone',
  412: 'Outdated',
  413: 'TooLarge',
  415: 'UnsupportedType',
  416: 'NoSuchRange',
  429: 'Throttled',
  500: 'ServerError',
  503: 'Unavailable',
  507: 'DiskFull',
};

const STATUSES = Object.keys(NAMES).map(Number) as ErrorStatus[];
const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' as const } } };

/** The bodies of errors. */
export const ERROR_SCHEMAS: NonNullable<ComponentsObject['schemas']> = {
  ErrorConflict: ERROR_BODIES.conflict,
  ErrorDefect: ERROR_BODIES.defect,
  ErrorDetail: ERROR_BODIES.detail,
  ErrorRefusal: ERROR_BODIES.refusal,
};

const SCHEMA_OF: Partial<Readonly<Record<ErrorStatus, string>>> = {
  400: 'ErrorRefusal',
  409: 'ErrorConflict',
  500: 'ErrorDefect',
};

/** One response for each type of error. Operations refer to them. */
export const ERROR_RESPONSES: NonNullable<ComponentsObject['responses']> = Object.fromEntries(
  STATUSES.map((status) => [
    NAMES[status],
    {
      description: ERROR_MEANINGS[status],
      ...(status === 429 || status === 503 ? { headers: RETRY_AFTER } : {}),
      content: {
        'application/vnd.cvat+json': {
          schema: { $ref: `#/components/schemas/${SCHEMA_OF[status] ?? 'ErrorDetail'}` },
        },
      },
    },
  ]),
);

/** Adds the errors that an operation can have. Keeps the author's own description of a status. */
export function addErrors(operation: Operation): void {
  const { responses } = operation.body;
  const own = STATUSES.filter((status) => responses[status]?.description === ERROR_MEANINGS[status]);
  for (const status of new Set([...own, ...implied(operation)])) {
    if (own.includes(status) || responses[status] === undefined) {
      responses[status] = { $ref: `#/components/responses/${NAMES[status]}` };
    }
  }
}

function implied({ path, body }: Operation): ErrorStatus[] {
  const scoped = body['x-permission'] !== undefined;
  const takesBody = body.requestBody !== undefined;
  const named = path.includes('{') || scoped; // an object, or an organization
  const rules: readonly (readonly [boolean, readonly ErrorStatus[]])[] = [
    [takesBody || scoped, [400]],
    [true, [401, 500, 503]],
    [scoped, [403]],
    [named, [404]],
    [body['x-unversioned'] === undefined, [406]],
    [takesBody, [413, 415]],
    [!scoped && body['x-unthrottled'] === undefined, [429]],
  ];
  return rules.flatMap(([holds, statuses]) => (holds ? statuses : []));
}
