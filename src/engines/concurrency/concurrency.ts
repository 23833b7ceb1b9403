/**
 * Works on all items, at most `limit` at a time; the results stand in the order of the items. After the first failure
 * nothing new is begun, and the promise rejects once what was begun has ended.
 */
export async function mapBounded<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, at: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  const entries = items.entries();
  const lane = async () => {
    for (const [at, item] of entries) {
      if (failures.length > 0) return;
      try {
        results[at] = await work(item, at);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  if (failures.length > 0) throw failures[0];
  return results;
}
