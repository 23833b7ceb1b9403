import { Alert, Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { LinkedText } from './linked-text';
import { useFieldLabels } from './field-labels';
import { ServerUnavailable } from '../app/api';
import { useConnection } from '../app/connection';
import { explain, SERVER_AVAILABLE_AGAIN } from '../app/problems';

interface ErrorPanelProps {
  readonly error: unknown;
  /** Default: what the kind of error says. */
  readonly title?: string | undefined;
  readonly onRetry?: (() => void) | undefined;
}

/** An error message in place of content. */
export function ErrorPanel({ error, title, onRetry }: ErrorPanelProps): ReactNode {
  const { isAway } = useConnection();
  const problem = error instanceof ServerUnavailable && !isAway ? SERVER_AVAILABLE_AGAIN : explain(error);
  const { requestId, status } = problem;
  const [panel, text] = useFieldLabels(problem);
  return (
    <Alert color="red" variant="light" title={title ?? problem.title} role="alert" className="error-panel" ref={panel}>
      <Text size="sm">
        <LinkedText text={text} />
      </Text>
      {requestId !== null && (
        <Text size="xs" mt="xs">
          Request ID <code>{requestId}</code>
        </Text>
      )}
      {onRetry !== undefined && (
        <Button mt="sm" size="xs" variant="default" onClick={onRetry}>
          {status === 412 ? 'Load current version' : 'Try again'}
        </Button>
      )}
    </Alert>
  );
}
