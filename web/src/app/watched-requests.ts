import { notifications } from '@mantine/notifications';
import { waitForRequest } from 'cairn-client';
import { createElement } from 'react';
import { priorityOf } from '../components/notification-priority';
import { showProblem } from '../components/notify';
import { ImportEnding } from '../components/import-ending';
import { api, type BackgroundRequest } from './api';
import { queryClient } from './query-client';
import { restoredPath } from './restored';
import { isUndoable } from './undoable';

/**
 * Follows a background request on every page of the app and notifies the user of its result.
 * @param title what it is, such as "Export of street"
 * @param done shown on success if there is no file to download
 */
export async function watchRequest(id: string, title: string, done: string): Promise<BackgroundRequest | null> {
  const note = notifications.show({
    title,
    message: 'The server is processing the request …',
    loading: true,
    autoClose: false,
    withBorder: true,
    priority: priorityOf('lasting'),
  });
  try {
    const onProgress = ({ progress, message }: BackgroundRequest): void => {
      const share = progress ?? 0;
      const text = message.trim() || 'The server is processing the request …';
      notifications.update({
        id: note,
        title,
        message: share > 0 ? `${text} ${Math.round(share * 100)} %` : text,
        loading: true,
        autoClose: false,
        withBorder: true,
      });
    };
    const request = await waitForRequest(api, id, { onProgress });
    const isLasting = hasAction(request);
    notifications.update({
      id: note,
      title,
      message: ending(request, done, () => notifications.hide(note)),
      loading: false,
      color: 'teal',
      autoClose: isLasting ? false : 5000,
      withBorder: true,
      priority: priorityOf(isLasting ? 'lasting' : 'brief'),
    });
    void queryClient.invalidateQueries();
    return request;
  } catch (error) {
    notifications.hide(note);
    showProblem(error);
    void queryClient.invalidateQueries({ queryKey: ['requests'] });
    return null;
  }
}

const hasAction = (request: BackgroundRequest): boolean =>
  request.result_url !== null ||
  restoredPath(request) !== null ||
  (request.report !== null && isUndoable(request.report));

/** @param onUse called when the user follows the link */
function ending(request: BackgroundRequest, done: string, onUse: () => void) {
  const { result_url: url, report } = request;
  if (report !== null && (isUndoable(report) || report.skipped.length > 0))
    return createElement(ImportEnding, { report, done });
  const restored = restoredPath(request);
  if (restored !== null)
    return createElement('a', { href: restored }, restored.startsWith('/projects') ? 'Open project' : 'Open task');
  if (url === null || url === undefined) return done;
  return createElement('a', { href: downloadPath(url), download: '', onClick: onUse }, 'Download file');
}

/** @returns the path of an export's file, which works for every host name of the server */
export function downloadPath(url: string): string {
  const { pathname, search } = new URL(url, window.location.origin);
  return `${pathname}${search}`;
}
