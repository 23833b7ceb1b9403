import { Alert, Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { explain } from '../app/problems';

interface ErrorPanelProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}

/** A failure in its own words, where the content would be. */
export function ErrorPanel({ error, onRetry }: ErrorPanelProps): ReactNode {
  const { title, text, requestId } = explain(error);
  return (
    <Alert color="red" variant="light" title={title} role="alert" className="error-panel">
      <Text size="sm">{text}</Text>
      {requestId !== null && (
        <Text size="xs" mt="xs">
          Request <code>{requestId}</code>
        </Text>
      )}
      {onRetry !== undefined && (
        <Button mt="sm" size="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}
