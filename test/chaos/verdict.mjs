// Compares the deliveries that arrived with the rows that exist.

/** The first delivery with each id, in order of arrival. */
const firsts = (deliveries) =>
  [...new Map(deliveries.toReversed().map((delivery) => [delivery.id, delivery])).values()].toReversed();

/**
 * The result for a webhook that subscribes to new tasks.
 *
 * @param {import('./receiver.mjs').Delivery[]} deliveries
 * @param {ReadonlySet<string>} tasks names of all existing tasks
 */
export function aboutTasks(deliveries, tasks) {
  const idsOf = new Map();
  for (const { id, payload } of deliveries)
    idsOf.set(payload.task.name, (idsOf.get(payload.task.name) ?? new Set()).add(id));
  return {
    missing: [...tasks.keys()].filter((name) => !idsOf.has(name)).length,
    phantoms: [...idsOf.keys()].filter((name) => !tasks.has(name)).length,
    repeated: deliveries.length - new Set(deliveries.map(({ id }) => id)).size,
    otherIds: [...idsOf.values()].filter((ids) => ids.size > 1).length,
  };
}

/**
 * How often a name arrived after a later one of the same writer, without counting repeated deliveries.
 * Each writer creates its tasks one after another, so the numbers in its names must grow.
 *
 * @param {ReadonlySet<string>} unanswered names whose requests got no response: they may have been created later
 */
export const disorder = (deliveries, unanswered) =>
  disorderOf(
    firsts(deliveries).map(({ payload }) => payload.task.name),
    unanswered,
  );

/** The same for names of tasks. */
export function disorderOf(names, unanswered) {
  const last = new Map();
  let wrong = 0;
  for (const name of names) {
    if (unanswered.has(name)) continue;
    const [writer, number] = name.split('-');
    if (Number(number) < (last.get(writer) ?? -1)) wrong += 1;
    last.set(writer, Number(number));
  }
  return wrong;
}

/**
 * The result for a batching webhook of one project: the changes in its payloads must connect without a gap, from the
 * first change to the final state.
 *
 * @param {{updated_date: string}} before the project before the load
 * @param {{updated_date: string}} now
 */
export function aboutBatches(deliveries, before, now) {
  const told = firsts(deliveries).map(({ payload }) => payload);
  // Compares dates, not texts: a whole second has no fraction, and "Z" sorts after ".".
  told.sort((a, b) => Date.parse(a.project.updated_date) - Date.parse(b.project.updated_date));
  const dates = [before, ...told.map((payload) => payload.project)].map((project) => project.updated_date);
  const gaps = told.filter((payload, index) => payload.before_update.updated_date !== dates[index]);
  return {
    deliveries: told.length,
    gaps: gaps.length,
    isNewest: dates.at(-1) === now.updated_date,
    repeated: deliveries.length - told.length,
  };
}
