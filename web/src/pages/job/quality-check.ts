import { unwrap } from 'cairn-client';
import { notifications } from '@mantine/notifications';
import { api, type Job, type JobQuality } from '../../app/api';
import { counted } from '../../components/counted';
import { priorityOf } from '../../components/notification-priority';
import { ifAllowed } from '../../components/if-allowed';
import { outcomeText } from './quality-outcome';

const POLL_MS = 1_000;
/** The check is queued shortly after the job was completed. */
const MAX_MS_UNTIL_QUEUED = 10_000;
const MAX_MS = 120_000;

/**
 * Waits for the check that may follow the completion of a job, and notifies the annotator of its outcome. Does nothing if
 * the job is not checked.
 * @param job as it was completed
 */
export async function followQualityCheck(job: Job): Promise<void> {
  const start = Date.now();
  for (let elapsed = 0; elapsed < MAX_MS; elapsed = Date.now() - start) {
    const check = await ifAllowed(api.GET('/api/jobs/{id}/quality', { params: { path: { id: job.id } } }).then(unwrap));
    if (check === null) return;
    if (isNew(check, job)) {
      show(job, check);
      return;
    }
    const isComing = check.remaining_checks > 0 && elapsed < MAX_MS_UNTIL_QUEUED;
    if (check.status !== 'pending' && !isComing) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const isNew = ({ status, checked_date: date }: JobQuality, job: Job): boolean =>
  status === 'checked' && date !== null && Date.parse(date) >= Date.parse(job.updated_date);

function show(job: Job, check: JobQuality): void {
  const again =
    check.passed === false && check.remaining_checks > 0
      ? ` You can correct the job and complete it again: ${counted(check.remaining_checks, 'check')} left.`
      : '';
  notifications.show({
    title: `Quality check of job ${job.id}`,
    message: outcomeText(check) + again,
    color: check.passed === false ? 'red' : 'teal',
    autoClose: false,
    withBorder: true,
    priority: priorityOf('lasting'),
  });
}
