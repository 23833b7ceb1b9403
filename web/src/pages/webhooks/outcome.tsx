import { Alert, Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { WebhookDelivery } from '../../app/api';
import { isPolicyRefusal } from '#shared/policy-refusal';
import { ResponseStatus } from './webhook-state';

interface OutcomeProps {
  /** Kind of the delivery. */
  readonly what: 'ping' | 'sample';
  readonly delivery: WebhookDelivery;
  readonly onShow: (id: number) => void;
  readonly onHide: () => void;
}

/** The result of a delivery that was sent immediately. */
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
      closeButtonLabel="Dismiss"
      onClose={onHide}
      title={isFine ? `The ${what} was delivered` : `The ${what} was not delivered`}
    >
      {error !== null && (
        <Text size="sm" mb={4} style={{ overflowWrap: 'anywhere' }}>
          {error}
        </Text>
      )}
      <ResponseStatus status={status} error={error} />{' '}
      {took === null || isPolicyRefusal(error) ? '' : `after ${took} ms. `}
      <Anchor component="button" type="button" size="sm" c="inherit" onClick={() => onShow(id)}>
        View delivery
      </Anchor>
    </Alert>
  );
}
