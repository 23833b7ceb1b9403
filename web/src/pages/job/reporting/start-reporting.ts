import { api, type Job } from '../../../app/api';
import type { Editor } from '../editing/editor';
import { type EventMessage, EventReporter } from './event-reporter';

const SEND_EVERY_MS = 60_000;
/** A gap of 100 s between two events is a break, so an event every 20 s is enough. */
const ACTIVITY_MS = 20_000;
const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const;

/** Reports what happens in the editor until it is stopped. Sends in the background, and once more when the page is left. */
export function startReporting(job: Job, editor: Editor): { readonly reporter: EventReporter; stop(): void } {
  const { id, task_id, project_id } = job;
  const reporter = new EventReporter({ id, task_id, project_id }, send);
  const onInput = (): void => reporter.activity(ACTIVITY_MS);
  const onHide = (): void => void (document.visibilityState === 'hidden' && reporter.flush());
  const timer = setInterval(() => void reporter.flush(), SEND_EVERY_MS);
  for (const name of INPUTS) document.addEventListener(name, onInput, { passive: true, capture: true });
  document.addEventListener('visibilitychange', onHide);
  editor.onOperation = (title, count) => reporter.operation(title, count);
  reporter.report('load:job');
  return {
    reporter,
    stop() {
      clearInterval(timer);
      for (const name of INPUTS) document.removeEventListener(name, onInput, { capture: true });
      document.removeEventListener('visibilitychange', onHide);
      editor.onOperation = () => undefined;
      void reporter.flush();
    },
  };
}

async function send(body: EventMessage): Promise<boolean> {
  const { response } = await api.POST('/api/events', { body, keepalive: true });
  // The server would refuse the same message again.
  return response.ok || (response.status >= 400 && response.status < 500);
}
