import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

const COLORS: Readonly<Record<string, string>> = {
  annotation: 'blue',
  validation: 'violet',
  acceptance: 'teal',
  completed: 'teal',
  new: 'gray',
  'in progress': 'blue',
  rejected: 'red',
  queued: 'gray',
  started: 'blue',
  finished: 'teal',
  failed: 'red',
  working: 'teal',
};

/** A stage, state or status in its colour. */
export const Status = ({ value }: { readonly value: string }): ReactNode => (
  <Badge className="status" variant="light" color={COLORS[value] ?? 'gray'} radius="sm" tt="none" fw={600}>
    {value}
  </Badge>
);
