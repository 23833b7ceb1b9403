import { Alert, Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { WebhookDelivery } from '../../app/api';
import { AnswerStatus } from './webhook-state';

interface OutcomeProps {
  /** What was sent. */
  readonly what: 'ping' | 'sample';
  readonly delivery: WebhookDelivery;
  readonly onShow: (id: number) => void;
  readonly onHide: () => void;
}

/** What came of something that was sent at once. */
export function Outcome({ what, delivery, onShow, onHide }: OutcomeProps): ReactNode {
  const { status_code: status, request_duration: took, id, error } = delivery;
  const isFine = status !== null && status >= 200 && status < 300;
  return (
    <Alert
      role="status"
      color={isFine ? 'teal' : 'red'}
      variant="light"
      mb="md"
      withCloseButton
      closeButtonLabel="Hide the result"
      onClose={onHide}
      title={isFine ? `The ${what} arrived` : `The ${what} did not arrive`}
    >
      {error !== null && (
        <Text size="sm" mb={4} style={{ overflowWrap: 'anywhere' }}>
          {error}
        </Text>
      )}
      <AnswerStatus status={status} /> {took === null ? '' : `after ${took} ms. `}
      <Anchor component="button" type="button" size="sm" c="inherit" onClick={() => onShow(id)}>
        Look at the delivery
      </Anchor>
    </Alert>
  );
}
