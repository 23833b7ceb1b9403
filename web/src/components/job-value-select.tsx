import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Job } from '../app/api';
import type { JobChange } from './job-change';

/** Fields of a job with a fixed set of values, and the permission to change each. */
export const JOB_VALUES = {
  stage: { title: 'Stage', values: ['annotation', 'validation', 'acceptance'], right: 'changeStage' },
  state: { title: 'State', values: ['new', 'in progress', 'completed', 'rejected'], right: 'changeState' },
} as const;

export type JobValueName = keyof typeof JOB_VALUES;

interface JobValueSelectProps {
  readonly name: JobValueName;
  /** Completes the accessible name, such as "of job 5". */
  readonly of: string;
  /** Null for several jobs, whose values may differ. */
  readonly value: Job[JobValueName] | null;
  /** Whether a new stage resets the state of a job, which the field then says. */
  readonly resetsState: boolean;
  readonly width: number;
  readonly isDisabled: boolean;
  readonly onChange: (what: Pick<JobChange, JobValueName>) => void;
}

/** Selects the stage or the state of one or more jobs. */
export function JobValueSelect(props: JobValueSelectProps): ReactNode {
  const { name, of, value, resetsState, width, isDisabled, onChange } = props;
  const { title, values } = JOB_VALUES[name];
  const items = [...values];
  return (
    <Select
      size="xs"
      w={width}
      aria-label={`${title} ${of}`}
      {...(value === null ? { placeholder: `Set ${name}` } : { title })}
      allowDeselect={false}
      disabled={isDisabled}
      data={name === 'stage' && resetsState ? [{ group: 'Resets the state to “new”', items }] : items}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
      value={value}
      onChange={(next) => (next === null || next === value ? undefined : onChange({ [name]: next }))}
    />
  );
}
