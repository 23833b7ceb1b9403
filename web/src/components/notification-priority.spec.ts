import { afterEach, describe, expect, it } from '@jest/globals';
import { notifications, notificationsStore } from '@mantine/notifications';
import { priorityOf } from './notification-priority';

/** The number of notifications that there is room for. */
const { limit } = notificationsStore.getState();
const show = (level: Parameters<typeof priorityOf>[0], message: string): string =>
  notifications.show({ message, priority: priorityOf(level) });
const messages = (): unknown[] => notificationsStore.getState().notifications.map(({ message }) => message);

describe('the priorities of notifications', () => {
  afterEach(() => notifications.clean());

  it.each(['error', 'brief', 'lastingError'] as const)(
    'show a message of level %s beside finished exports',
    (level) => {
      for (let at = 0; at < 2 * limit; at += 1) show('lasting', `export ${at}`);
      show(level, 'message');
      expect(messages()).toContain('message');
    },
  );

  it('show errors that disappear before those that stay', () => {
    show('error', 'error');
    for (let at = 0; at < limit; at += 1) show('lastingError', `unsaved job ${at}`);
    expect(messages()).toContain('error');
  });

  it('show the newest of one level', () => {
    for (let at = 0; at <= limit; at += 1) show('lasting', `export ${at}`);
    expect(messages()).toEqual(['export 5', 'export 4', 'export 3', 'export 2', 'export 1']);
  });

  it('show the others again when there is room', () => {
    for (let at = 0; at < limit; at += 1) show('lasting', `export ${at}`);
    notifications.hide(show('lasting', 'last'));
    expect(messages()).toContain('export 0');
  });
});
