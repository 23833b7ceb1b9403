/**
 * Maps items with at most `limit` calls at a time; results are in the order of the items. After the first failure no call
 * is started, and the promise rejects once the running calls have ended. (`p-limit` starts the remaining calls and rejects
 * immediately; callers of this function clean up when it rejects.)
 */
export async function mapBounded<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  const entries = items.entries();
  const lane = async () => {
    for (const [index, item] of entries) {
      if (failures.length > 0) return;
      try {
        results[index] = await work(item, index);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  if (failures.length > 0) throw failures[0];
  return results;
}
