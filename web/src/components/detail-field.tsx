import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { tooLong } from './too-long';

const FIELDS = {
  name: { label: 'Name', limit: 256, required: true },
  subset: { label: 'Subset', description: 'Such as train, validation or test.', limit: 64 },
  bug_tracker: {
    label: 'Issue tracker',
    description: 'URL of the issue tracker of this work.',
    limit: 2000,
  },
} as const;

interface DetailFieldProps {
  readonly of: keyof typeof FIELDS;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Error messages by the API's field names. */
  readonly errors: Readonly<Record<string, string>> | undefined;
}

/** A text field of a project or task. */
export function DetailField({ of, value, onChange, errors }: DetailFieldProps): ReactNode {
  const { limit, ...field } = FIELDS[of];
  return (
    <TextInput
      {...field}
      value={value}
      error={errors?.[of] ?? tooLong(value, limit)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
