import { Anchor, CloseButton, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { Link, useLocation } from 'react-router';
import classes from './upload-tray.module.css';
import { uploads, useUploads } from './uploads';

const UploadProgressPanel = lazy(async () => ({
  default: (await import('../components/upload-progress')).UploadProgressPanel,
}));

/** Uploads that continue while other pages are open. */
export function UploadTray(): ReactNode {
  const all = useUploads();
  const { pathname } = useLocation();
  const client = useQueryClient();
  const done = all
    .filter(({ state }) => state === 'done' || state === 'failed')
    .map(({ key, state }) => `${key} ${state}`);
  const ended = done.join();
  useEffect(() => {
    if (ended !== '') void client.invalidateQueries(); // tasks have frames now, projects have previews, requests are finished
  }, [ended, client]);
  const elsewhere = all.filter(
    ({ purpose, page }) => purpose !== 'check' && (purpose !== 'frames' || pathname !== page),
  );
  if (elsewhere.length === 0) return null;
  return (
    <aside className={classes['tray']} aria-label="Uploads">
      {elsewhere.map((upload) => (
        <div key={upload.key} className={classes['item']}>
          <Group justify="space-between" wrap="nowrap" mb={6}>
            <Anchor underline="hover" component={Link} to={upload.page} size="sm" fw={600} truncate>
              {upload.title}
            </Anchor>
            {(upload.state === 'done' || upload.state === 'failed') && (
              <CloseButton
                size="sm"
                aria-label={`Dismiss upload ${upload.title}`}
                onClick={() => uploads.remove(upload.key)}
              />
            )}
          </Group>
          <Suspense>
            <UploadProgressPanel upload={upload} />
          </Suspense>
        </div>
      ))}
    </aside>
  );
}
