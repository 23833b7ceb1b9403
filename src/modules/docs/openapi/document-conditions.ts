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
  if (verb === 'post' && path.startsWith('/api/') && path !== LOG_OUT)
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
