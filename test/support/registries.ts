import { exportFormats, importFormats } from '../../src/engines/annotations/formats/registry.js';
import { ALL_EVENTS, EVENTS } from '../../src/core/events/event-declaration.js';

/**
 * Saves which events and formats are declared. The registries belong to the process, which runs several test files, so
 * declarations of one file or its extensions would remain for the next.
 *
 * @returns a function that restores the registries
 */
export function rememberRegistries(): () => void {
  const lists: readonly (readonly unknown[])[] = [
    EVENTS,
    ALL_EVENTS,
    ...[exportFormats, importFormats].flatMap((formats) => [formats.all, formats.names]),
  ];
  const before = lists.map((list) => [...list]);
  return () => {
    for (const [index, list] of lists.entries()) (list as unknown[]).splice(0, list.length, ...(before[index] ?? []));
  };
}
