import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

const FIELDS = {
  name: { label: 'Name', required: true, maxLength: 256 },
  subset: { label: 'Subset', description: 'Such as train, validation or test.', maxLength: 64 },
  bug_tracker: {
    label: 'Issue tracker',
    description: 'Address of the place where problems are discussed, if there is one.',
    maxLength: 2000,
  },
} as const;

interface DetailFieldProps {
  readonly of: keyof typeof FIELDS;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** What the server says against fields, by their names on the wire. */
  readonly errors: Readonly<Record<string, string>> | undefined;
}

/** A text that a project or task has. */
export const DetailField = ({ of, value, onChange, errors }: DetailFieldProps): ReactNode => (
  <TextInput
    {...FIELDS[of]}
    value={value}
    error={errors?.[of]}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);
