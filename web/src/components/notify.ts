import { notifications } from '@mantine/notifications';
import { createElement } from 'react';
import { connection } from '../app/connection';
import { explain } from '../app/problems';
import { OtherUser } from '../app/session-owner';
import { LinkedText } from './linked-text';

/** Notifies the user of an error, unless the dialog for expired sessions already does. */
export function showProblem(error: unknown): void {
  const { title, text, status } = explain(error);
  if ((status === 401 || error instanceof OtherUser) && connection.get().isSessionOver) return;
  notifications.show({
    title,
    message: createElement(LinkedText, { text }),
    color: 'red',
    autoClose: 10_000,
    withBorder: true,
  });
}

/**
 * Tells the user that changes of a page that was left are not saved.
 * @param advice what to do
 */
export function showUnsaved(title: string, error: unknown, advice: string): void {
  const message = `${explain(error).text} ${advice}`;
  notifications.show({ title, message, color: 'red', autoClose: false, withBorder: true });
}

export function showSuccess(message: string): void {
  notifications.show({ message, color: 'teal', autoClose: 4_000, withBorder: true });
}

/** How long a notice is shown. */
export const NOTICE_MS = 8_000;

/** Shows what has happened elsewhere. A newer notice with the same id replaces an older one. */
export function showNotice(id: string, message: string): void {
  notifications.hide(id);
  notifications.show({ id, message, autoClose: NOTICE_MS, withBorder: true });
}
