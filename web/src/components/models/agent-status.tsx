import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

/** Whether an agent runs the function. */
export const AgentStatus = ({ hasAgent }: { readonly hasAgent: boolean }): ReactNode => (
  <Badge className="status" variant="light" color={hasAgent ? 'teal' : 'gray'} radius="sm" tt="none" fw={600}>
    {hasAgent ? 'agent connected' : 'no agent'}
  </Badge>
);
