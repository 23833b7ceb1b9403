import { LATEST_VERSION } from '../../core/versioning/accept.js';
import type { ComponentsObject } from './openapi-types.js';
import type { Operation, OperationBody } from './operation.js';

/** Headers that make a request conditional. */
export const CONDITION_PARAMETERS: NonNullable<ComponentsObject['parameters']> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Any text of up to 255 characters. Repeated within 24 hours, the request gets its first answer again.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETag of an earlier answer: 304 when nothing has changed since.',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'ETag of an earlier answer: 412, and nothing is changed, when the object has changed since.',
    schema: { type: 'string' },
  },
};

/** Permissions of changes: at the address of an object they can be made conditional. */
const CHANGE = /^\w+:(?:update|change|delete)/;

/** Ends the log-in that it is sent with, so nobody can send it again. */
const LOG_OUT = '/api/auth/logout';

/** Answers that are written piece by piece, so that their tag would come too late. */
const STREAMED = /\/revisions\/\{revision\}\/changes$/;

/** Says which operations can be repeated safely, need not be answered again, or can be refused as outdated. */
export function addConditions({ path, verb, body }: Operation): void {
  if (verb === 'post' && path.startsWith('/api/') && path !== LOG_OUT)
    take(body, 'IdempotencyKey', '409', { $ref: '#/components/responses/InProgress' });
  const scope = body['x-permission'];
  if (typeof scope !== 'string') return;
  if (verb === 'get' && answersObject(body) && !STREAMED.test(path))
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

/** Lists have no tag. */
function answersObject({ responses }: OperationBody): boolean {
  const content = responses['200']?.content?.[`application/vnd.cvat+json; version=${LATEST_VERSION}`];
  return content?.schema?.$ref !== undefined && !/\/Paginated\w+List$/.test(content.schema.$ref);
}
