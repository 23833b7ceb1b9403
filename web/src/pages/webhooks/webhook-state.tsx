import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Webhook } from '../../app/api';
import { isPolicyRefusal } from '#shared/policy-refusal';

/** Whether a webhook sends deliveries now. */
export function WebhookState({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const { is_active: isActive, paused_until: pause, disabled_reason: reason } = webhook;
  const isPaused = isActive && pause !== null && new Date(pause) > new Date();
  const [color, text] = isPaused
    ? ['orange', 'paused after failures']
    : isActive
      ? ['teal', 'active']
      : reason === null || reason === ''
        ? ['gray', 'disabled']
        : ['red', 'disabled by the server'];
  return (
    <Badge className="status" variant="light" color={color} tt="none" radius="sm">
      {text}
    </Badge>
  );
}

interface ResponseStatusProps {
  readonly status: number | null;
  /** Of the delivery or attempt. */
  readonly error?: string | null;
}

/**
 * Status of a response: green for success, red for failure, grey before the first attempt. What the server refused to send
 * has none, although its deliveries have the status that CVAT gives them.
 */
export function ResponseStatus({ status, error = null }: ResponseStatusProps): ReactNode {
  const color = status === null ? 'gray' : status >= 200 && status < 300 ? 'teal' : 'red';
  return (
    <Badge className="status" variant="light" color={color} radius="sm" tt="none">
      {isPolicyRefusal(error) ? 'not sent' : (status ?? 'pending')}
    </Badge>
  );
}
