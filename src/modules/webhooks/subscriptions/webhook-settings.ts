import { type Sql, sql } from '../../../engines/sql/sql.js';
import type { UpdateWebhookDto } from './webhook.dto.js';
import { requireFilter } from '../dispatch/matching.js';
import { Invalid } from '../../../core/http/errors/errors.js';
import { isSameServer } from './target-url.js';

/** Assignments that reset the failure state. */
export const RESUMED: readonly Sql[] = [
  sql`failures = 0`,
  sql`failing_since = null`,
  sql`paused_until = null`,
  sql`disabled_reason = null`,
];

type DeliverySettings = Pick<
  UpdateWebhookDto,
  | 'target_url'
  | 'ordered'
  | 'retry_schedule'
  | 'timeout'
  | 'rate_limit'
  | 'max_concurrency'
  | 'custom_headers'
  | 'filter'
  | 'payload'
  | 'batch_window'
>;

/** @throws Invalid for combinations that the fields' own validation cannot check */
export function requireSettings(dto: DeliverySettings): void {
  if (dto.custom_headers !== undefined) requireCustomHeaders(dto.custom_headers);
  if (dto.filter !== undefined) requireFilter(dto.filter);
}

/**
 * Assignments of the delivery settings that a body contains.
 * @param stored null for a new webhook
 * @throws Invalid for masked headers without a stored value
 */
export function deliverySettings(dto: DeliverySettings, stored: StoredHeaders | null): Sql[] {
  const headers = headersToStore(dto, stored);
  return [
    ...(dto.ordered === undefined ? [] : [sql`ordered = ${dto.ordered}`]),
    ...(dto.retry_schedule === undefined ? [] : [sql`retry_schedule = ${dto.retry_schedule}::int[]`]),
    ...(dto.timeout === undefined ? [] : [sql`timeout = ${dto.timeout}`]),
    ...(dto.rate_limit === undefined ? [] : [sql`rate_limit = ${dto.rate_limit}`]),
    ...(dto.max_concurrency === undefined ? [] : [sql`max_concurrency = ${dto.max_concurrency}`]),
    ...(headers === undefined ? [] : [sql`custom_headers = ${JSON.stringify(headers)}::json`]),
    ...(dto.filter === undefined
      ? []
      : [sql`filter = ${dto.filter === null ? null : JSON.stringify(dto.filter)}::json`]),
    ...(dto.payload === undefined ? [] : [sql`payload = ${dto.payload}`]),
    ...(dto.batch_window === undefined ? [] : [sql`batch_window = ${dto.batch_window}`]),
  ];
}

export type CustomHeaders = Readonly<Record<string, string>>;

/** Shown instead of a header value. In a request it stands for the stored value. */
export const MASK = '***';

/** Header names with masked values: users who may view a webhook need not know its receiver's credentials. */
export const maskedHeaders = (headers: CustomHeaders): CustomHeaders =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]));

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

const VALUE = /^[\x20-\x7e]{0,1000}$/;

const MAX_HEADERS = 20;

/** Headers that the server or HTTP itself sets. */
const RESERVED: readonly string[] = [
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-signature-256',
];

// prettier-ignore

/** @throws Invalid unless the value is an object of header names and values that may be sent */
export function requireCustomHeaders(headers: unknown): void {
  const problem = problemOf(headers);
  if (problem !== undefined) throw new Invalid({ custom_headers: [problem] });
}

function problemOf(headers: unknown): string | undefined {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    return 'Expected an object with header names and values.';
  const entries = Object.entries(headers) as [string, unknown][];
  if (entries.length > MAX_HEADERS) return `Ensure this field has no more than ${MAX_HEADERS} elements.`;
  const lower = entries.map(([name]) => name.toLowerCase());
  const duplicate = lower.find((name, index) => lower.indexOf(name) !== index);
  if (duplicate !== undefined) return `The header "${duplicate}" is listed twice. Remove one.`;
  for (const [name, value] of entries) {
    if (!NAME.test(name)) return `"${name.slice(0, 100)}" is not a valid header name.`;
    const reserved = RESERVED.includes(name.toLowerCase()) || name.toLowerCase().startsWith('webhook-');
    if (reserved) return `The header "${name}" is reserved. Choose another name.`;
    if (typeof value !== 'string' || !VALUE.test(value))
      return `The value of "${name}" must have at most 1000 printable ASCII characters.`;
  }
  return undefined;
}

/** The parts of a stored webhook that concern its headers. */
export interface StoredHeaders {
  readonly target_url: string;
  readonly custom_headers: CustomHeaders;
}

/**
 * The headers to store. Where a body repeats the mask, the stored value is kept.
 * @param changes the request body; a new webhook has nothing stored
 * @throws Invalid for a mask without a stored value, and if stored values would go to another server: users who may
 * change a webhook must not learn them this way
 */
export function headersToStore(
  changes: { readonly target_url?: string; readonly custom_headers?: CustomHeaders },
  stored: StoredHeaders | null,
): CustomHeaders | undefined {
  const { target_url: target, custom_headers: headers } = changes;
  const known = new Map(
    Object.entries(stored?.custom_headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const kept = headers === undefined ? [...known.keys()] : namesOfMasks(headers);
  const unknown = kept.find((name) => !known.has(name.toLowerCase()));
  if (unknown !== undefined)
    throw new Invalid({
      custom_headers: [`The header "${unknown}" has no stored value. Enter its value instead of ${MASK}.`],
    });
  const moves = stored !== null && target !== undefined && !isSameServer(target, stored.target_url);
  if (moves && kept.length > 0) {
    const names = kept.map((name) => `"${name}"`).join(', ');
    throw new Invalid({
      custom_headers: [`Enter the values of ${names} again, because target_url has changed to another server.`],
    });
  }
  if (headers === undefined) return undefined;
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value === MASK ? (known.get(name.toLowerCase()) ?? value) : value]),
  );
}

const namesOfMasks = (headers: CustomHeaders): string[] =>
  Object.keys(headers).filter((name) => headers[name] === MASK);
