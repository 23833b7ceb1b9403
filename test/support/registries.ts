import { exportFormats, importFormats } from '../../src/engines/annotations/formats/registry.js';
import { EVENTS, EVENTS_OF } from '../../src/core/events/event-declaration.js';

/**
 * Remembers which events and formats are declared. They belong to the process, which runs one test file after another;
 * what a file or its extensions declare would be there for the next file, too.
 *
 * @returns puts everything back
 */
export function rememberRegistries(): () => void {
  const lists: readonly (readonly unknown[])[] = [
    EVENTS,
    ...Object.values(EVENTS_OF),
    ...[exportFormats, importFormats].flatMap((formats) => [formats.all, formats.names]),
  ];
  const before = lists.map((list) => [...list]);
  return () => {
    for (const [index, list] of lists.entries()) (list as unknown[]).splice(0, list.length, ...(before[index] ?? []));
  };
}
