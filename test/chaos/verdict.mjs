// What came, beside what is there.

/** The first delivery under each id, in the order of arrival. */
const firsts = (deliveries) =>
  [...new Map(deliveries.toReversed().map((delivery) => [delivery.id, delivery])).values()].toReversed();

/**
 * Of a webhook that hears of new tasks.
 *
 * @param {import('./receiver.mjs').Delivery[]} deliveries
 * @param {ReadonlySet<string>} tasks names of all that are there
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
 * How often something came before something that was told of earlier; repetitions do not count. Each writer makes its
 * tasks one after another, so within a writer's names the numbers grow.
 *
 * @param {ReadonlySet<string>} unanswered names whose requests got no answer: they may have been made later
 */
export function disorder(deliveries, unanswered) {
  const last = new Map();
  let wrong = 0;
  for (const { payload } of firsts(deliveries)) {
    if (unanswered.has(payload.task.name)) continue;
    const [writer, number] = payload.task.name.split('-');
    if (Number(number) < (last.get(writer) ?? -1)) wrong += 1;
    last.set(writer, Number(number));
  }
  return wrong;
}

/**
 * Of a webhook with a batch window that hears of one project: what it was told of must join without a gap, from the
 * first change to the state that is there at the end.
 *
 * @param {{updated_date: string}} before the project as it was before the load
 * @param {{updated_date: string}} now
 */
export function aboutBatches(deliveries, before, now) {
  const told = firsts(deliveries).map(({ payload }) => payload);
  // Not by their texts: a whole second has no fraction, and its Z comes after a point.
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
