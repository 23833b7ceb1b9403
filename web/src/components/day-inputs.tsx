import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

interface DayInputsProps {
  /** As `2026-01-31`; empty for any day. */
  readonly from: string;
  readonly to: string;
  readonly onChange: (change: Readonly<Record<string, string>>) => void;
}

/** The first and the last day of a range. */
export function DayInputs({ onChange, ...days }: DayInputsProps): ReactNode {
  return (['from', 'to'] as const).map((name) => (
    <TextInput
      key={name}
      type="date"
      size="sm"
      label={name === 'from' ? 'First day' : 'Last day'}
      value={days[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  ));
}
