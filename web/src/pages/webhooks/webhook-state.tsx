import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Webhook } from '../../app/api';

/** Whether a webhook sends at the moment. */
export function WebhookState({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const { is_active: isActive, paused_until: pause, disabled_reason: reason } = webhook;
  const isPaused = isActive && pause !== null && new Date(pause) > new Date();
  const [color, text] = isPaused
    ? ['orange', 'paused after failures']
    : isActive
      ? ['teal', 'active']
      : reason === null || reason === ''
        ? ['gray', 'off']
        : ['red', 'switched off'];
  return (
    <Badge className="status" variant="light" color={color} tt="none" radius="sm">
      {text}
    </Badge>
  );
}

/** Status of an answer: green for a success, red for the rest, grey before the first attempt. */
export function AnswerStatus({ status }: { readonly status: number | null }): ReactNode {
  const color = status === null ? 'gray' : status >= 200 && status < 300 ? 'teal' : 'red';
  return (
    <Badge className="status" variant="light" color={color} radius="sm" tt="none">
      {status ?? 'waiting'}
    </Badge>
  );
}
