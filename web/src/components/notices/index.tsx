import { useNotifications } from '@mantine/notifications';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { loadLater } from '../../app/later';

const load = () => import('./notices');
const Shown = lazy(async () => ({ default: (await load()).Notices }));

/** What was told last, in a corner of the page. It is loaded when something is told, or later. */
export function Notices(): ReactNode {
  const { notifications } = useNotifications();
  const [isWanted, setWanted] = useState(false);
  useEffect(() => loadLater(load), []);
  if (notifications.length > 0 && !isWanted) setWanted(true); // it stays: the last one moves out
  return isWanted ? (
    <Suspense>
      <Shown />
    </Suspense>
  ) : null;
}
