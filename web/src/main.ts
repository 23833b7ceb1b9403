// Runs first and sends early requests, while the app is still loading.
import { requestAhead } from './app/ahead';
import { applyColorScheme } from './app/color-scheme';
import { loadAhead } from './app/pages';
import { requestJobAhead } from './pages/job/frames/ahead';
import { mayHaveSession } from './app/session-cookie';

const { pathname, search } = window.location;
const [, jobId] = /^\/jobs\/(\d+)$/.exec(pathname) ?? [];

/** Time for which the app waits for the first frame of a job, as compiling the app takes longer than showing the frame. */
const LEAD_MS = 250;

applyColorScheme();
const firstFrame = jobId === undefined ? undefined : showFirstFrame(Number(jobId));
if (mayHaveSession()) void requestAhead('/api/users/self', { organization: '' });
void start();

/** Shows the first frame of a job before the app has started. The page reports errors. */
async function showFirstFrame(id: number): Promise<void> {
  const wanted = new URLSearchParams(search).get('frame');
  const early = requestJobAhead(id, wanted);
  try {
    const [facts, { openJob }] = await Promise.all([early, import('./pages/job/opening'), laidOut()]);
    await openJob(facts, wanted);
  } catch {
    // the page sends the requests again
  }
}

async function start(): Promise<void> {
  if (firstFrame !== undefined) await Promise.race([firstFrame, pause(LEAD_MS)]);
  const page = loadAhead(pathname);
  const [{ startApp }] = await Promise.all([import('./start'), laidOut()]);
  await startApp(Promise.all([page, firstFrame]));
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** Waits for the elements and styles of the page, as this script may run before them. */
async function laidOut(): Promise<void> {
  if (document.readyState === 'loading')
    await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
  const loading = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].filter(
    ({ sheet }) => sheet === null,
  );
  await Promise.all(
    loading.map(
      (link) =>
        new Promise((resolve) => {
          link.addEventListener('load', resolve, { once: true });
          link.addEventListener('error', resolve, { once: true });
        }),
    ),
  );
}
