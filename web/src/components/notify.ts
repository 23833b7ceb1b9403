import { notifications } from '@mantine/notifications';
import { connection } from '../app/connection';
import { explain } from '../app/problems';

/** Notifies the user of an error, unless the dialog for expired sessions already does. */
export function showProblem(error: unknown): void {
  const { title, text, status } = explain(error);
  if (status === 401 && connection.get().isSessionOver) return;
  notifications.show({ title, message: text, color: 'red', autoClose: 10_000, withBorder: true });
}

export function showSuccess(message: string): void {
  notifications.show({ message, color: 'teal', autoClose: 4_000, withBorder: true });
}
