import { notifications } from '@mantine/notifications';
import { createElement } from 'react';
import { ServerUnavailable } from '../app/api';
import { connection } from '../app/connection';
import { explain } from '../app/problems';
import { OtherUser } from '../app/session-owner';
import { LinkedText } from './linked-text';
import { priorityOf } from './notification-priority';

/** Id of the notification that the server cannot be reached. It disappears as soon as that is no longer true. */
const UNAVAILABLE = 'unavailable';
connection.subscribe(() => (connection.get().isAway ? undefined : notifications.hide(UNAVAILABLE)));

/** Notifies the user of an error, unless the dialog for expired sessions already does. */
export function showProblem(error: unknown): void {
  const { title, text, status } = explain(error);
  if ((status === 401 || error instanceof OtherUser) && connection.get().isSessionOver) return;
  notifications.show({
    ...(error instanceof ServerUnavailable && { id: UNAVAILABLE }),
    title,
    message: createElement(LinkedText, { text }),
    color: 'red',
    autoClose: 10_000,
    withBorder: true,
    priority: priorityOf('error'),
  });
}

/** Tells the user that changes of a job that was left are not saved. */
export function showUnsaved(jobId: number, error: unknown): void {
  notifications.show({
    id: unsavedId(jobId),
    title: `Changes of job ${jobId} are not saved`,
    message: `${explain(error).text} Your browser keeps them: open the job again to save them.`,
    color: 'red',
    autoClose: false,
    withBorder: true,
    priority: priorityOf('lastingError'),
  });
}

/** Hides it, because the job is open again. */
export const hideUnsaved = (jobId: number): unknown => notifications.hide(unsavedId(jobId));

const unsavedId = (jobId: number): string => `unsaved changes of job ${jobId}`;

export function showSuccess(message: string): void {
  const priority = priorityOf('brief');
  notifications.show({ message, color: 'teal', autoClose: 4_000, withBorder: true, priority });
}

/** How long a notice is shown. */
export const NOTICE_MS = 8_000;

/** Shows what has happened elsewhere. A newer notice with the same id replaces an older one. */
export function showNotice(id: string, message: string): void {
  notifications.hide(id);
  notifications.show({ id, message, autoClose: NOTICE_MS, withBorder: true, priority: priorityOf('brief') });
}
