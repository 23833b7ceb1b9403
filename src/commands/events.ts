import { Quarantine, type QuarantinedEvent, type QuarantineSelection } from '../core/events/quarantine.js';
import { StartError } from '../start-error.js';

const MOST_SHOWN = 1000;
/** More ids do not fit into a command line. */
const MOST_NAMED = 1_000_000;

/** Prints the events that listeners could not handle, oldest first. */
export async function listQuarantine(selection: QuarantineSelection): Promise<void> {
  const { withApplication } = await import('./application.js');
  const events = await withApplication((app) => app.get(Quarantine).list(selection, MOST_SHOWN + 1));
  process.stdout.write(quarantineText(events));
}

/** Gives events back to the listeners that could not handle them. */
export async function retryEvents(selection: QuarantineSelection): Promise<void> {
  const { withApplication } = await import('./application.js');
  const { count, unknown } = await withApplication(async (app) => {
    const quarantine = app.get(Quarantine);
    const known = selection.events === undefined ? [] : await quarantine.list(selection, MOST_NAMED);
    const missing = selection.events?.find((id) => !known.some((event) => event.event_id === id));
    return { count: missing === undefined ? await quarantine.giveBack(selection) : 0, unknown: missing };
  });
  if (unknown !== undefined) throw new StartError(`The event ${unknown} is not in quarantine. Nothing was changed.`);
  process.stdout.write(
    count === 0
      ? 'There is nothing to retry.\n'
      : `Retrying ${count} event(s): running background work begins within seconds. "cairn events quarantine" shows what fails again.\n`,
  );
}

/** Lines for events in quarantine. */
export function quarantineText(events: readonly QuarantinedEvent[]): string {
  if (events.length === 0) return 'No event is in quarantine.\n';
  const shown = events.slice(0, MOST_SHOWN);
  const rows = [
    ['LISTENER', 'ID', 'EVENT', 'OBJECT', 'ATTEMPTS', 'LAST FAILED', 'STATE', 'ERROR'],
    ...shown.map((event) => [
      event.listener,
      String(event.event_id),
      event.event,
      event.object_id,
      String(event.attempts),
      event.last_failed_date.slice(0, 19).replace('T', ' '),
      event.returned_date === null ? 'failed' : 'retrying',
      event.error.replaceAll(/\s+/g, ' ').slice(0, 200),
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  if (events.length > MOST_SHOWN) lines.push(`… and more; only the oldest ${MOST_SHOWN} are shown.`);
  return `${lines.join('\n')}\n`;
}
