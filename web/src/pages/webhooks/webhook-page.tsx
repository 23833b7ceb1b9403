import { Alert, Anchor, Button, Tabs, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CairnError, unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router';
import { api, type Webhook, type WebhookDelivery } from '../../app/api';
import { ActionsMenu } from '../../components/actions-menu';
import { Confirm } from '../../components/confirm';
import { CopyOnce } from '../../components/copy-field';
import { Crumbs } from '../../components/crumbs';
import { ErrorPanel } from '../../components/error-panel';
import { Icon } from '../../components/icons';
import { showProblem, showSuccess } from '../../components/notify';
import { Page } from '../../components/page';
import { PageLoader } from '../../components/page-loader';
import { formatDate } from '../../components/time-ago';
import { Deliveries } from './deliveries';
import { DeliveryDrawer } from './delivery-drawer';
import { Explain } from './explain';
import { ReplayDialog } from './replay-dialog';
import { WebhookSettings } from './webhook-settings';
import { AnswerStatus, WebhookState } from './webhook-state';

export function Component(): ReactNode {
  const id = Number(useParams()['webhookId']);
  const { data, error, refetch } = useQuery({
    queryKey: ['webhook', id],
    queryFn: async ({ signal }) => unwrap(await api.GET('/api/webhooks/{id}', { params: { path: { id } }, signal })),
  });
  if (data !== undefined) return <WebhookView webhook={data} />;
  if (error === null) return <PageLoader />;
  return (
    <Page title="Webhook">
      <ErrorPanel error={error} onRetry={() => void refetch()} />
    </Page>
  );
}

type Dialog = 'delete' | 'replay' | 'rotate' | null;

function WebhookView({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const { id } = webhook;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const [dialog, setDialog] = useState<Dialog>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const [shown, setShown] = useState<number | null>(null);
  const path = { id };
  const refresh = (): Promise<unknown> =>
    Promise.all(
      [['webhook', id], ['webhooks'], ['deliveries', id]].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
  const ping = useMutation({
    mutationFn: async () => unwrap(await api.POST('/api/webhooks/{id}/ping', { params: { path } })),
    onSettled: refresh,
    onError: showProblem,
  });
  const pause = useMutation({
    mutationFn: async () =>
      unwrap(await api.PATCH('/api/webhooks/{id}', { params: { path }, body: { is_active: false } as never })),
    onSettled: refresh,
    onError: showProblem,
  });
  const resume = useMutation({
    mutationFn: async () => unwrap(await api.POST('/api/webhooks/{id}/resume', { params: { path } })),
    onSuccess: () => showSuccess('It sends again; what was waiting goes out.'),
    onSettled: refresh,
    onError: showProblem,
  });
  const remove = async (): Promise<void> => {
    const { response, error } = await api.DELETE('/api/webhooks/{id}', { params: { path } });
    if (!response.ok) throw new CairnError(response, error);
    await client.invalidateQueries({ queryKey: ['webhooks'] });
    await navigate('/webhooks');
  };
  const rotate = async (): Promise<void> => {
    const answer = unwrap(await api.POST('/api/webhooks/{id}/secret', { params: { path } }));
    setSecret(answer.secret);
  };
  const isHeld = !webhook.is_active || (webhook.paused_until !== null && new Date(webhook.paused_until) > new Date());
  return (
    <Page
      title={webhook.description || 'Webhook'}
      above={<Crumbs crumbs={[{ to: '/webhooks', title: 'Webhooks' }]} />}
      subtitle={<Subtitle webhook={webhook} />}
      actions={
        <>
          <Button
            loading={ping.isPending}
            leftSection={<Icon name="webhook" size={16} />}
            onClick={() => ping.mutate()}
          >
            Ping
          </Button>
          {isHeld ? (
            <Button
              variant="default"
              loading={resume.isPending}
              leftSection={<Icon name="play" size={16} />}
              onClick={() => resume.mutate()}
            >
              Resume
            </Button>
          ) : (
            <Button
              variant="default"
              loading={pause.isPending}
              leftSection={<Icon name="pause" size={16} />}
              onClick={() => pause.mutate()}
            >
              Pause
            </Button>
          )}
          <ActionsMenu
            wide
            of={webhook.target_url}
            actions={[
              { title: 'Send again since …', icon: 'refresh', onClick: () => setDialog('replay') },
              { title: 'New secret', icon: 'key', onClick: () => setDialog('rotate') },
              { title: 'Delete', icon: 'trash', isDangerous: true, onClick: () => setDialog('delete') },
            ]}
          />
        </>
      }
    >
      {secret !== null && (
        <div style={{ marginBottom: 16 }}>
          <CopyOnce title="The new secret" value={secret} onDone={() => setSecret(null)} />
          <Text size="sm" mt="xs">
            For 24 hours deliveries are signed with the old one as well.
          </Text>
        </div>
      )}
      <Held webhook={webhook} />
      {ping.data !== undefined && <PingResult delivery={ping.data} onShow={setShown} onHide={() => ping.reset()} />}
      <Tabs
        value={params.get('show') ?? 'deliveries'}
        onChange={(value) =>
          setParams(value === 'deliveries' || value === null ? {} : { show: value }, { replace: true })
        }
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>
          <Tabs.Tab value="explain">Why did it not fire?</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="deliveries">
          <Deliveries webhook={webhook} onShow={setShown} />
        </Tabs.Panel>
        <Tabs.Panel value="explain">
          <Explain webhook={webhook} onShow={setShown} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <WebhookSettings webhook={webhook} />
        </Tabs.Panel>
      </Tabs>
      <DeliveryDrawer webhookId={id} deliveryId={shown} onClose={() => setShown(null)} />
      <ReplayDialog webhookId={id} opened={dialog === 'replay'} onClose={() => setDialog(null)} />
      <Confirm
        opened={dialog === 'rotate'}
        onClose={() => setDialog(null)}
        title="Make a new secret?"
        text="The receiver has to learn it: for 24 hours deliveries carry a signature of each, then of the new one alone."
        action="Make a new secret"
        onConfirm={rotate}
      />
      <Confirm
        opened={dialog === 'delete'}
        onClose={() => setDialog(null)}
        title="Delete the webhook?"
        text="Its log goes with it, and what has not been delivered is not."
        action="Delete the webhook"
        onConfirm={remove}
      />
    </Page>
  );
}

const Subtitle = ({ webhook }: { readonly webhook: Webhook }): ReactNode => (
  <Text span size="sm">
    <WebhookState webhook={webhook} /> {webhook.target_url} ·{' '}
    {webhook.project_id === null ? (
      webhook.type
    ) : (
      <Anchor component={Link} to={`/projects/${webhook.project_id}`}>
        project {webhook.project_id}
      </Anchor>
    )}
  </Text>
);

/** Why it does not send, when it does not. */
function Held({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const { paused_until: until, disabled_reason: reason, is_active: isActive } = webhook;
  if (!isActive && reason !== null && reason !== '') {
    return (
      <Alert color="red" variant="light" mb="md" title="The server has switched it off">
        {reason}
      </Alert>
    );
  }
  if (!isActive || until === null || new Date(until) <= new Date()) return null;
  return (
    <Alert color="orange" variant="light" mb="md" title="Too much has failed">
      It is paused until {formatDate(until)}, then tried again by itself. Resume tries at once.
    </Alert>
  );
}

interface PingResultProps {
  readonly delivery: WebhookDelivery;
  readonly onShow: (id: number) => void;
  readonly onHide: () => void;
}

function PingResult({ delivery, onShow, onHide }: PingResultProps): ReactNode {
  const { status_code: status, request_duration: took, id } = delivery;
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
      title={isFine ? 'The ping arrived' : 'The ping did not arrive'}
    >
      <AnswerStatus status={status} /> {took === null ? '' : `after ${took} ms. `}
      <Anchor component="button" type="button" size="sm" c="inherit" onClick={() => onShow(id)}>
        Look at the delivery
      </Anchor>
    </Alert>
  );
}
