// The first thing that runs: while the app is being loaded and made, what it will show is on its way already.
import { askAhead } from './app/ahead';
import { applyColorScheme } from './app/color-scheme';
import { loadAhead } from './app/pages';
import { askJobAhead } from './pages/job/frames/ahead';
import { mayHaveSession } from './app/session-cookie';

const { pathname, search } = window.location;
const [, jobId] = /^\/jobs\/(\d+)$/.exec(pathname) ?? [];

/** So long the app leaves the processor to the first frame of a job: compiling it takes longer than showing the frame. */
const LEAD_MS = 250;

applyColorScheme();
const firstFrame = jobId === undefined ? undefined : showFirstFrame(Number(jobId));
if (mayHaveSession()) void askAhead('/api/users/self', { organization: '' });
void start();

/** The first frame of a job is there before the app is. What fails of it is told by the page. */
async function showFirstFrame(id: number): Promise<void> {
  const wanted = new URLSearchParams(search).get('frame');
  const asked = askJobAhead(id, wanted);
  try {
    const [facts, { openJob }] = await Promise.all([asked, import('./pages/job/opening'), laidOut()]);
    await openJob(facts, wanted);
  } catch {
    // the page asks again
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

/** The elements of the page are there, with their styles: this script waits for neither. */
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
