import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Job } from '../app/api';
import type { JobChange } from './job-change';

/** What of a job is one of few values, and the right that it takes to choose it. */
export const JOB_VALUES = {
  stage: { title: 'Stage', values: ['annotation', 'validation', 'acceptance'], right: 'changeStage' },
  state: { title: 'State', values: ['new', 'in progress', 'completed', 'rejected'], right: 'changeState' },
} as const;

export type JobValueName = keyof typeof JOB_VALUES;

interface JobValueSelectProps {
  readonly name: JobValueName;
  /** Whose it is, such as "of job 5". */
  readonly of: string;
  /** Null for several jobs, which need not agree: the field then says what it does. */
  readonly value: Job[JobValueName] | null;
  readonly width: number;
  readonly isDisabled: boolean;
  readonly onChange: (what: JobChange) => void;
}

/** Chooses the stage or the state of one or several jobs. */
export function JobValueSelect({ name, of, value, width, isDisabled, onChange }: JobValueSelectProps): ReactNode {
  const { title, values } = JOB_VALUES[name];
  return (
    <Select
      size="xs"
      w={width}
      aria-label={`${title} ${of}`}
      {...(value === null ? { placeholder: `Set ${name}` } : { title })}
      allowDeselect={false}
      disabled={isDisabled}
      data={[...values]}
      value={value}
      onChange={(chosen) => (chosen === null || chosen === value ? undefined : onChange({ [name]: chosen }))}
    />
  );
}
