import '@mantine/core/styles.layer.css';
import './app/app.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './app/query-client';
import { Router } from './app/router';
import { prefetchSelf } from './app/session';
import { cssVariables, theme } from './app/theme';
import { Notices } from './components/notices';
import { jobQuery, metaQuery } from './pages/job/data/job-queries';

// Scripts can read a nonce only as a property. The scroll lock of dialogs looks for it under webpack's name.
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
(globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = nonce;

/** How long the app waits for the data of its first page before it shows a loader. */
const PATIENCE_MS = 300;

/**
 * Starts the app.
 * @param known resolves when the first page can be rendered, apart from early requests
 */
export async function startApp(known: Promise<unknown>): Promise<void> {
  const root = document.querySelector('#root');
  if (root === null) throw new Error('The page has no #root element.');
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
        <QueryClientProvider client={queryClient}>
          <Notices />
          <Router />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  );
  // A transition renders in steps, so that the browser stays responsive.
  startTransition(() => createRoot(root).render(app));
}

/** Takes the early responses (main.ts): the user, and the job on a job page. The page reports errors. */
async function readAhead(): Promise<void> {
  const [, jobId] = /^\/jobs\/(\d+)$/.exec(window.location.pathname) ?? [];
  const self = prefetchSelf(queryClient);
  if (jobId !== undefined) {
    const meta = queryClient.prefetchQuery(metaQuery(Number(jobId)));
    await queryClient.prefetchQuery(jobQuery(Number(jobId)));
    await meta;
  }
  await self;
}
