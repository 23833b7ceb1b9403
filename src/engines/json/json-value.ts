/** The result of JSON.parse. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether arrays and objects are nested more than `limit` levels deep. Does not search deeper. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const items: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return limit === 0 || items.some((item) => isDeeperThan(item, limit - 1));
}

/** Whether any text or key in the value passes `test`. */
export function hasText(value: unknown, test: (text: string) => boolean): boolean {
  if (typeof value === 'string') return test(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => hasText(item, test));
  return Object.entries(value).some(([key, item]) => test(key) || hasText(item, test));
}

/** Whether all numbers in the value are finite. `JSON.parse` reads 1e400 as infinity, which JSON cannot express. */
export function isFiniteJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  const items: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.every(isFiniteJson);
}

/** Whether a JSON value contains more than `limit` elements of lists and members of objects, at all levels together. */
export function hasMoreValues(json: unknown, limit: number): boolean {
  const open = [json];
  let count = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
    count += inner.length;
    if (count > limit) return true;
    for (const one of inner) if (typeof one === 'object' && one !== null) open.push(one);
  }
  return false;
}
