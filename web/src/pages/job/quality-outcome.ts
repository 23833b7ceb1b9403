import type { JobQuality } from '../../app/api';
import { counted } from '../../components/counted';

const percent = (share: number): string => share.toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 });

/** The outcome of a check in a sentence. */
export function outcomeText(check: JobQuality): string {
  const { target_metric: metric, target_metric_threshold: threshold, value, passed } = check;
  if (value === null) return 'The job has no frames with ground truth, so nothing was compared.';
  const name = metric.charAt(0).toUpperCase() + metric.slice(1);
  const verdict = `${name} ${percent(value)} ${passed === true ? 'reaches' : 'is below'} the target of ${percent(threshold)}`;
  const { error_count: errors, checked_frames: frames } = check;
  if (errors === null || errors === 0) return `${verdict}.`;
  return `${verdict}: ${counted(errors, 'error')} on ${counted(frames ?? 0, 'checked frame')}.`;
}
