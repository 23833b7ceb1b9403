// The result of a run.

/**
 * Leases of a dead process are free within 5 s of a restart. The rest is for a machine that is busy with other work.
 */
const MOST_SECONDS_IN_FLIGHT = 10;

/**
 * Prints the result.
 *
 * @param {{media: import('./media.mjs').MediaLoad, saves: import('./saves.mjs').RepeatedSaves, lost: string[]}} more
 * @returns whether the run failed
 */
export function report(
  settings,
  load,
  names,
  { plain, ordered, batch, listener },
  { media, saves, lost },
  { seconds, inFlight },
) {
  const { isBalanced, servers, workers, counts, place, seed } = settings;
  const broken = [...load.acknowledged].filter((name) => !names.has(name)).length;
  const rolledBack = [...load.unanswered, ...load.refused].filter((name) => !names.has(name)).length;
  const lines = {
    'servers, workers': isBalanced ? `${servers}, ${workers}` : '1, 0',
    'files in': place,
    'kills of the server': counts.server,
    'kills of the database': counts.database,
    'creations without a response': load.unanswered.size,
    'changes committed': names.size,
    'of them without a response to the client': [...load.unanswered].filter((name) => names.has(name)).length,
    'changes rolled back or refused': rolledBack,
    'acknowledged but not there': broken,
    'committed but never arrived': plain.missing,
    'arrived but never committed': plain.phantoms,
    'repeated deliveries': plain.repeated,
    'sent under two ids': plain.otherIds,
    'ordered: never arrived': ordered.missing,
    'ordered: never committed': ordered.phantoms,
    'ordered: repeated deliveries': ordered.repeated,
    'ordered: sent under two ids': ordered.otherIds,
    'ordered: out of order': ordered.disorder,
    'batches: saves and changes with a response': load.saved,
    'batches: deliveries': batch.deliveries,
    'batches: changes without a delivery': batch.gaps,
    'batches: the newest state arrived': batch.isNewest ? 'yes' : 'no',
    'batches: repeated deliveries': batch.repeated,
    'listener: handled before the retry': listener.handled,
    'listener: in quarantine': listener.quarantined,
    'listener: wrongly in quarantine': listener.wrongly,
    'listener: out of order': listener.disorder,
    'listener: never handled': listener.missing,
    'listener: handled twice': listener.repeated,
    'uploads acknowledged': media.uploads.length,
    'uploads without a response': media.unanswered,
    'pieces sent again after an error': media.resumed,
    'uploads given up after three kills': media.givenUp,
    'assets acknowledged': media.assets.size,
    'annotations saved, repeated until certain': saves.saved.length,
    'times a client left before the response': saves.left,
    'uploads, assets, annotations that are lost': lost.length,
    'seconds until one in flight arrived': inFlight.toFixed(1),
    seconds: Math.round(seconds),
    seed,
  };
  for (const [name, value] of Object.entries(lines)) console.log(`${name.padEnd(45)}${value}`);
  for (const text of lost) console.log(`lost: ${text}`);
  const wrong = [plain, ordered].map((all) => all.missing + all.phantoms + all.otherIds);
  const isWrong = broken + wrong[0] + wrong[1] + ordered.disorder + batch.gaps > 0 || !batch.isNewest;
  const isBlocked = listener.wrongly + listener.disorder + listener.missing + listener.repeated > 0;
  const isIdle = names.size === 0 || batch.deliveries === 0 || saves.saved.length === 0 || listener.quarantined === 0;
  const sendsNothing = media.writers > 0 && (media.uploads.length === 0 || media.assets.size === 0);
  const failed = isWrong || isBlocked || isIdle || sendsNothing || lost.length > 0 || inFlight > MOST_SECONDS_IN_FLIGHT;
  console.log(failed ? '0 passed, 1 failed' : '1 passed, 0 failed');
  return failed;
}
