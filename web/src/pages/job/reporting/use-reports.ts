import { useEffect, useState } from 'react';
import type { Job } from '../../../app/api';
import type { Editor } from '../editing/editor';
import type { SaveState } from '../editing/saver';
import type { EventReporter } from './event-reporter';

/** What the reports of a job page follow. */
export interface Reported {
  readonly job: Job;
  /** Undefined until the annotations are loaded. */
  readonly editor: Editor | undefined;
  readonly frame: number;
  readonly state: SaveState | undefined;
}

/** Reports the work in a job, for working times. The code is loaded after the page. */
export function useReports({ job, editor, frame, state }: Reported): void {
  const [reporter, setReporter] = useState<EventReporter>();
  useEffect(() => {
    if (editor === undefined) return;
    let stop: (() => void) | undefined;
    let isGone = false;
    const begin = async (): Promise<void> => {
      const { startReporting } = await import('./start-reporting');
      if (isGone) return;
      const started = startReporting(job, editor);
      stop = () => started.stop();
      setReporter(started.reporter);
    };
    void begin().catch(() => undefined); // without the code, nothing is reported
    return () => {
      isGone = true;
      stop?.();
    };
    // A change of the job's state or assignee is no other job.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [job.id, editor]);
  useEffect(() => reporter?.showFrame(frame), [reporter, frame]);
  useEffect(() => {
    if (state !== 'saving') return;
    const start = Date.now();
    return () => reporter?.report('save:job', { duration: Date.now() - start });
  }, [reporter, state]);
}
