import { Button } from '@mantine/core';
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { api, type Webhook, type WebhookDelivery } from '../../app/api';
import { ActionsMenu } from '../../components/actions-menu';
import { Confirm } from '../../components/confirm';
import { Icon } from '../../components/icons';
import { showProblem, showSuccess } from '../../components/notify';
import { webhookKey } from './read-webhook';
import { ReplayDialog } from './replay-dialog';

type Dialog = 'delete' | 'replay' | 'rotate' | null;

interface WebhookActionsProps {
  readonly webhook: Webhook;
  readonly ping: UseMutationResult<WebhookDelivery, unknown, void>;
  /** Receives the new secret, which is shown once. */
  readonly onSecret: (secret: string) => void;
}

/** @returns a function that reloads everything about the webhook */
export function useRefresh(id: number): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all(
      [webhookKey(id), ['webhooks'], ['deliveries', id]].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
}

/** Sends a ping and waits for its result. */
export function usePing(id: number): UseMutationResult<WebhookDelivery, unknown, void> {
  return useMutation({
    mutationFn: async () => unwrap(await api.POST('/api/webhooks/{id}/ping', { params: { path: { id } } })),
    onSettled: useRefresh(id),
    onError: showProblem,
  });
}

/** The buttons and the menu of a webhook. */
export function WebhookActions({ webhook, ping, onSecret }: WebhookActionsProps): ReactNode {
  const { id } = webhook;
  const path = { id };
  const client = useQueryClient();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<Dialog>(null);
  const remove = async (): Promise<void> => {
    unwrap(await api.DELETE('/api/webhooks/{id}', { params: { path } }));
    await client.invalidateQueries({ queryKey: ['webhooks'] });
    await navigate('/webhooks');
  };
  const rotate = async (): Promise<void> => {
    onSecret(unwrap(await api.POST('/api/webhooks/{id}/secret', { params: { path } })).secret);
  };
  const close = (): void => setDialog(null);
  return (
    <>
      <Button loading={ping.isPending} leftSection={<Icon name="webhook" size={16} />} onClick={() => ping.mutate()}>
        Ping
      </Button>
      <ActivityButton webhook={webhook} />
      <ActionsMenu
        wide
        of={webhook.target_url}
        actions={[
          { title: 'Redeliver …', icon: 'refresh', onClick: () => setDialog('replay') },
          { title: 'Rotate secret', icon: 'key', onClick: () => setDialog('rotate') },
          { title: 'Delete', icon: 'trash', isDangerous: true, onClick: () => setDialog('delete') },
        ]}
      />
      <ReplayDialog webhookId={id} opened={dialog === 'replay'} onClose={close} />
      <Confirm
        opened={dialog === 'rotate'}
        onClose={close}
        title="Rotate the secret?"
        text="For 24 hours, deliveries are signed with both the old and the new secret. Update the receiver within this time."
        action="Rotate secret"
        onConfirm={rotate}
      />
      <Confirm
        opened={dialog === 'delete'}
        onClose={close}
        title="Delete the webhook?"
        text="This also deletes its delivery log. Pending deliveries are not sent."
        action="Delete webhook"
        onConfirm={remove}
      />
    </>
  );
}

const RESUMED = 'Webhook resumed. It sends its pending deliveries.';
const ENABLED = 'Webhook enabled. To send the events that it missed, select “Redeliver …”.';

/** Disables an enabled webhook, enables a disabled one, and resumes one that is paused after failures. */
function ActivityButton({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const { id, is_active: isActive, paused_until: until } = webhook;
  const isPaused = isActive && until !== null && new Date(until) > new Date();
  const isSending = isActive && !isPaused;
  const change = useMutation({
    mutationFn: async () => {
      const params = { path: { id } };
      if (isSending) unwrap(await api.PATCH('/api/webhooks/{id}', { params, body: { is_active: false } as never }));
      else unwrap(await api.POST('/api/webhooks/{id}/resume', { params }));
    },
    onSuccess: () => !isSending && showSuccess(isPaused ? RESUMED : ENABLED),
    onSettled: useRefresh(id),
    onError: showProblem,
  });
  return (
    <Button
      variant="default"
      loading={change.isPending}
      leftSection={<Icon name={isSending ? 'pause' : 'play'} size={16} />}
      onClick={() => change.mutate()}
    >
      {isSending ? 'Disable' : isPaused ? 'Resume' : 'Enable'}
    </Button>
  );
}
