import '@mantine/core/styles.layer.css';
import './app/app.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './app/query-client';
import { Router } from './app/router';
import { askSelfAhead } from './app/session';
import { cssVariables, theme } from './app/theme';
import { Notices } from './components/notices';
import { jobQuery, metaQuery } from './pages/job/data/job-queries';

// Browsers show a nonce to scripts only as a property. Scroll locks of dialogs look for it under webpack's name.
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
(globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = nonce;

/** The app waits so long for what it is to show at once. After that it shows how far it is. */
const PATIENCE_MS = 300;

/**
 * Starts the app.
 * @param known ends when what its first page needs is there, besides what was asked for ahead
 */
export async function startApp(known: Promise<unknown>): Promise<void> {
  const root = document.querySelector('#root');
  if (root === null) throw new Error('The page has no place for the app.');
  const patience = new Promise((resolve) => {
    setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([Promise.all([known, readAhead()]), patience]);
  const app = (
    <StrictMode>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        cssVariablesResolver={cssVariables}
        getStyleNonce={() => nonce}
      >
        <Notices />
        <QueryClientProvider client={queryClient}>
          <Router />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  );
  // In steps, between which the browser does what else there is to do.
  startTransition(() => createRoot(root).render(app));
}

/** Takes what was asked for ahead (main.ts): who is logged in, and of a job's page the job. What fails of it is told by the page. */
async function readAhead(): Promise<void> {
  const [, jobId] = /^\/jobs\/(\d+)$/.exec(window.location.pathname) ?? [];
  const self = askSelfAhead(queryClient);
  if (jobId !== undefined) {
    const meta = queryClient.prefetchQuery(metaQuery(Number(jobId)));
    await queryClient.prefetchQuery(jobQuery(Number(jobId)));
    await meta;
  }
  await self;
}
