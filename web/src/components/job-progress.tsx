import { Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Task } from '../app/api';
import { counted } from './counted';

/** The number of completed jobs of a task. */
export function JobProgress({ jobs }: { readonly jobs: Task['jobs'] }): ReactNode {
  const { count, completed, validation } = jobs;
  if (count === 0)
    return (
      <Text size="xs" c="dimmed">
        No jobs yet
      </Text>
    );
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {completed.toLocaleString('en')} of {counted(count, 'job')} completed
        {validation > 0 ? `, ${validation.toLocaleString('en')} in validation` : ''}
      </Text>
      <Progress.Root size="sm" aria-hidden>
        <Progress.Section value={(100 * completed) / count} color="teal" aria-label="Completed" />
        <Progress.Section value={(100 * validation) / count} color="violet" aria-label="In validation" />
      </Progress.Root>
    </div>
  );
}
