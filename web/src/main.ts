// The first thing that runs: while the app is being loaded and made, what it will show is on its way already.
import { askAhead } from './app/ahead';
import { loadAhead } from './app/pages';
import { askJobAhead } from './pages/job/frames/ahead';

const { pathname, search } = window.location;
void askAhead('/api/users/self', { organization: '' });
loadAhead(pathname);
const [, jobId] = /^\/jobs\/(\d+)$/.exec(pathname) ?? [];
if (jobId !== undefined)
  void askJobAhead(Number(jobId), new URLSearchParams(search).get('frame')).catch(() => undefined);
void import('./start');
