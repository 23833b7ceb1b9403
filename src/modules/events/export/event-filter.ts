import { Forbidden, InvalidList } from '../../../core/http/errors/errors.js';
import { readTimestamp } from '../../../engines/filter/filter-value.js';
import { parameter, type Query } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { enforcedFilters } from '../../../shared/policy/event.policy.js';
import { isoTime, isShowable, microseconds } from '../../../core/wire-time.js';

const IDS = ['org_id', 'project_id', 'task_id', 'job_id', 'user_id'] as const;
export type IdFilter = (typeof IDS)[number];

/** Which rows an export contains. */
export interface EventFilter {
  readonly ids: Readonly<Partial<Record<IdFilter, number>>>;
  /** ISO 8601, inclusive; null: the default. */
  readonly from: string | null;
  readonly to: string | null;
}

const ZONED = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i;
const MAX_INT = 2 ** 31 - 1;

/**
 * Reads the filters of a request, and adds those that its sender may not leave out.
 * @throws InvalidList, Forbidden
 */
export function readEventFilter(actor: Actor, query: Query): EventFilter {
  const ids: Partial<Record<IdFilter, number>> = {};
  for (const name of IDS) {
    const text = parameter(query, name).trim();
    if (text === '') continue;
    if (!/^\d{1,10}$/.test(text) || Number(text) > MAX_INT) throw new InvalidList(`'${name}' must be an integer`);
    ids[name] = Number(text);
  }
  for (const [name, value] of Object.entries(enforcedFilters(actor)) as ['user_id' | 'org_id', number][]) {
    const asked = ids[name];
    if (asked !== undefined && asked !== value)
      throw new Forbidden(`You don't have permission to view events with ${name}=${asked}`);
    ids[name] = value;
  }
  const [from, to] = [readTime(query, 'from'), readTime(query, 'to')];
  if (from !== null && to !== null && microseconds(from) > microseconds(to))
    throw new InvalidList(`'from' must be before than 'to'`);
  return { ids, from, to };
}

/** A plus sign that was not encoded arrives as a space. */
function readTime(query: Query, name: string): string | null {
  const sent = parameter(query, name).trim();
  if (sent === '') return null;
  const text = sent.replace(/ (\d\d:?\d\d)$/, (whole, zone: string, at: number) => (at > 12 ? `+${zone}` : whole));
  const isTime = ZONED.test(text) && readTimestamp(text) !== undefined;
  const time = isTime ? microseconds(text.replace(' ', 'T')) : NaN;
  if (Number.isNaN(time) || !isShowable(time))
    throw new InvalidList(`Cannot parse '${name}' datetime parameter: ${sent}`);
  return isoTime(time);
}
