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

interface WebhookDeedsProps {
  readonly webhook: Webhook;
  readonly ping: UseMutationResult<WebhookDelivery, unknown, void>;
  /** A new secret, which is shown once. */
  readonly onSecret: (secret: string) => void;
}

/** Asks anew for everything that shows the webhook. */
export function useRefresh(id: number): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all(
      [webhookKey(id), ['webhooks'], ['deliveries', id]].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
}

/** Sends a ping, and waits for what comes of it. */
export function usePing(id: number): UseMutationResult<WebhookDelivery, unknown, void> {
  return useMutation({
    mutationFn: async () => unwrap(await api.POST('/api/webhooks/{id}/ping', { params: { path: { id } } })),
    onSettled: useRefresh(id),
    onError: showProblem,
  });
}

/** What can be done with a webhook. */
export function WebhookDeeds({ webhook, ping, onSecret }: WebhookDeedsProps): ReactNode {
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
      <PauseButton webhook={webhook} />
      <ActionsMenu
        wide
        of={webhook.target_url}
        actions={[
          { title: 'Send again since …', icon: 'refresh', onClick: () => setDialog('replay') },
          { title: 'New secret', icon: 'key', onClick: () => setDialog('rotate') },
          { title: 'Delete', icon: 'trash', isDangerous: true, onClick: () => setDialog('delete') },
        ]}
      />
      <ReplayDialog webhookId={id} opened={dialog === 'replay'} onClose={close} />
      <Confirm
        opened={dialog === 'rotate'}
        onClose={close}
        title="Make a new secret?"
        text="The receiver has to learn it: for 24 hours deliveries carry a signature of each, then of the new one alone."
        action="Make a new secret"
        onConfirm={rotate}
      />
      <Confirm
        opened={dialog === 'delete'}
        onClose={close}
        title="Delete the webhook?"
        text="Its log goes with it, and what has not been delivered is not."
        action="Delete the webhook"
        onConfirm={remove}
      />
    </>
  );
}

const TRIES_AGAIN = 'It sends again; what was waiting goes out.';
const IS_ON_AGAIN = 'It is on again. What happened while it was off is sent by “Send again since …”.';

/** Ends sending, or begins it again. */
function PauseButton({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const { id, is_active: isActive, paused_until: until } = webhook;
  const isHeld = !isActive || (until !== null && new Date(until) > new Date());
  const change = useMutation({
    mutationFn: async () => {
      const params = { path: { id } };
      if (isHeld) unwrap(await api.POST('/api/webhooks/{id}/resume', { params }));
      else unwrap(await api.PATCH('/api/webhooks/{id}', { params, body: { is_active: false } as never }));
      return isHeld;
    },
    onSuccess: (resumed) => resumed && showSuccess(isActive ? TRIES_AGAIN : IS_ON_AGAIN),
    onSettled: useRefresh(id),
    onError: showProblem,
  });
  return (
    <Button
      variant="default"
      loading={change.isPending}
      leftSection={<Icon name={isHeld ? 'play' : 'pause'} size={16} />}
      onClick={() => change.mutate()}
    >
      {isHeld ? 'Resume' : 'Pause'}
    </Button>
  );
}
