import { useNotifications } from '@mantine/notifications';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { loadLater } from '../../app/later';

const load = () => import('./notices');
const Shown = lazy(async () => ({ default: (await load()).Notices }));

/** Notifications in a corner of the page. Their code is loaded with the first one, or some time after the page. */
export function Notices(): ReactNode {
  const { notifications } = useNotifications();
  const [isWanted, setWanted] = useState(false);
  useEffect(() => loadLater(load), []);
  if (notifications.length > 0 && !isWanted) setWanted(true); // keep it mounted while the last one animates out
  return isWanted ? (
    <Suspense>
      <Shown />
    </Suspense>
  ) : null;
}
