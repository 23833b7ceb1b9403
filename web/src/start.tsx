import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './app/app.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './app/query-client';
import { Router } from './app/router';
import { askSelfAhead } from './app/session';
import { cssVariables, theme } from './app/theme';
import { jobQuery, metaQuery } from './pages/job/data/job-queries';

// Browsers show a nonce to scripts only as a property. Scroll locks of dialogs look for it under webpack's name.
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
(globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = nonce;

// Nothing waits for what is asked for already (main.ts): who is logged in, and of a job's page its first frame. What fails of
// it is told by the page.
void askSelfAhead(queryClient);
const [, jobId] = /^\/jobs\/(\d+)$/.exec(window.location.pathname) ?? [];
if (jobId !== undefined) {
  void queryClient.prefetchQuery(jobQuery(Number(jobId)));
  void queryClient.prefetchQuery(metaQuery(Number(jobId)));
  const frame = new URLSearchParams(window.location.search).get('frame');
  void import('./pages/job/job-page').then(({ openAhead }) => openAhead(Number(jobId), frame)).catch(() => undefined);
}

const root = document.querySelector('#root');
if (root === null) throw new Error('The page has no place for the app.');
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={cssVariables}
      getStyleNonce={() => nonce}
    >
      <Notifications position="bottom-right" />
      <QueryClientProvider client={queryClient}>
        <Router />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
