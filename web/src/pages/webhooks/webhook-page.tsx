import { Alert, Anchor, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Link, useParams } from 'react-router';
import type { Webhook } from '../../app/api';
import { CopyOnce } from '../../components/copy-field';
import { Crumbs } from '../../components/crumbs';
import { InItsOrganization } from '../../components/in-its-organization';
import { Loaded } from '../../components/loaded';
import { useNames } from '../../components/names';
import { Page } from '../../components/page';
import { PageLoader } from '../../components/page-loader';
import { PageTabs } from '../../components/page-tabs';
import type { Tagged } from '../../components/tagged';
import { formatDate } from '../../components/time-ago';
import { Deliveries } from './deliveries';
import { DeliveryDrawer } from './delivery-drawer';
import { Outcome } from './outcome';
import { readWebhook, webhookKey } from './read-webhook';
import { receiverOf } from './receivers';
import { usePing, WebhookActions } from './webhook-actions';
import { WebhookState } from './webhook-state';

const Explain = lazy(async () => ({ default: (await import('./explain')).Explain }));
const Sample = lazy(async () => ({ default: (await import('./sample')).Sample }));
const WebhookSettings = lazy(async () => ({ default: (await import('./webhook-settings')).WebhookSettings }));

export function Component(): ReactNode {
  const id = Number(useParams()['webhookId']);
  const query = useQuery({
    queryKey: webhookKey(id),
    queryFn: ({ signal }) => readWebhook(id, signal),
  });
  return (
    <Loaded query={query} pageTitle="Webhook">
      {(present) => (
        <InItsOrganization key={id} id={present.value.organization}>
          <WebhookView present={present} />
        </InItsOrganization>
      )}
    </Loaded>
  );
}

function WebhookView({ present }: { readonly present: Tagged<Webhook> }): ReactNode {
  const webhook = present.value;
  const { id } = webhook;
  const [secret, setSecret] = useState<string | null>(null);
  const [shown, setShown] = useState<number | null>(null);
  const ping = usePing(id);
  return (
    <Page
      title={webhook.description || 'Webhook'}
      above={<Crumbs crumbs={[{ to: '/webhooks', title: 'Webhooks' }]} />}
      subtitle={<Subtitle webhook={webhook} />}
      actions={<WebhookActions webhook={webhook} ping={ping} onSecret={setSecret} />}
    >
      {secret !== null && (
        <div style={{ marginBottom: 16 }}>
          <CopyOnce title="New secret" value={secret} onDone={() => setSecret(null)} />
          <Text size="sm" mt="xs">
            For 24 hours, deliveries are also signed with the old secret.
          </Text>
        </div>
      )}
      <DisabledNotice webhook={webhook} />
      {ping.data !== undefined && (
        <Outcome what="ping" delivery={ping.data} onShow={setShown} onHide={() => ping.reset()} />
      )}
      <PageTabs
        titles={{ deliveries: 'Deliveries', sample: 'Sample', explain: 'Troubleshooting', settings: 'Settings' }}
      >
        <Tabs.Panel value="deliveries">
          <Deliveries webhook={webhook} onShow={setShown} />
        </Tabs.Panel>
        <Tabs.Panel value="sample">
          <Suspense fallback={<PageLoader />}>
            <Sample webhook={webhook} onShow={setShown} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="explain">
          <Suspense fallback={<PageLoader />}>
            <Explain webhook={webhook} onShow={setShown} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <Suspense fallback={<PageLoader />}>
            <WebhookSettings present={present} />
          </Suspense>
        </Tabs.Panel>
      </PageTabs>
      <DeliveryDrawer webhookId={id} deliveryId={shown} onClose={() => setShown(null)} />
    </Page>
  );
}

function Subtitle({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const receiver = receiverOf(webhook.target_url);
  const projects = useNames('projects', [webhook.project_id]);
  return (
    <Text span size="sm">
      <WebhookState webhook={webhook} />{' '}
      {receiver === null ? (
        webhook.target_url
      ) : (
        <Anchor component={Link} to={`/webhooks/receivers/${receiver}`}>
          {webhook.target_url}
        </Anchor>
      )}{' '}
      ·{' '}
      {webhook.project_id === null ? (
        webhook.type
      ) : (
        <Anchor component={Link} to={`/projects/${webhook.project_id}`}>
          {projects.get(webhook.project_id) ?? `Project ${webhook.project_id}`}
        </Anchor>
      )}
    </Text>
  );
}

/** Explains why the webhook does not send deliveries. Empty if it does. */
function DisabledNotice({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const { paused_until: until, disabled_reason: reason, is_active: isActive } = webhook;
  if (!isActive && reason !== null && reason !== '') {
    return (
      <Alert color="red" variant="light" mb="md" title="The server disabled this webhook">
        {reason}
      </Alert>
    );
  }
  if (!isActive) {
    return (
      <Alert color="orange" variant="light" mb="md" title="This webhook is disabled">
        It sends nothing, but the server keeps its events. To send them, select “Enable”, then “Redeliver …” and “Events
        without a delivery”.
      </Alert>
    );
  }
  if (until === null || new Date(until) <= new Date()) return null;
  return (
    <Alert color="orange" variant="light" mb="md" title="Paused after failures">
      The webhook sends no deliveries until {formatDate(until)}, then it retries automatically. To retry now, select
      “Resume”.
    </Alert>
  );
}
