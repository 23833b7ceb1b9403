import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api, type Webhook } from '../../app/api';
import { explain } from '../../app/problems';
import { ErrorPanel } from '../../components/error-panel';
import { showSuccess } from '../../components/notify';
import { PageLoader } from '../../components/page-loader';
import { useEvents, WebhookForm, type WebhookValues } from './webhook-form';

/** Changes a webhook. */
export function WebhookSettings({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const client = useQueryClient();
  const events = useEvents(webhook.type);
  const save = useMutation({
    mutationFn: async ({ everything: _everything, secretChoice, secret, events: chosen, ...rest }: WebhookValues) => {
      const change = secretChoice === 'own' ? { secret } : secretChoice === 'none' ? { secret: '' } : {};
      const body = { ...rest, events: [...chosen], ...change };
      return unwrap(
        await api.PATCH('/api/webhooks/{id}', { params: { path: { id: webhook.id } }, body: body as never }),
      );
    },
    onSuccess: async () => {
      await Promise.all(
        [['webhook', webhook.id], ['webhooks']].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
      showSuccess('The webhook is saved.');
    },
  });
  if (events.data === undefined) return events.error === null ? <PageLoader /> : <ErrorPanel error={events.error} />;
  const everything = events.data.every((event) => webhook.events.includes(event));
  return (
    <div style={{ maxWidth: 860 }}>
      <WebhookForm
        present={{
          target_url: webhook.target_url,
          description: webhook.description,
          content_type: 'application/json',
          enable_ssl: webhook.enable_ssl,
          is_active: webhook.is_active,
          everything,
          events: webhook.events,
          secretChoice: 'keep',
          secret: '',
        }}
        type={webhook.type}
        isNew={false}
        action="Save"
        isBusy={save.isPending}
        error={save.error}
        problem={save.error === null ? null : explain(save.error)}
        onSubmit={(values) => save.mutate(values)}
      />
    </div>
  );
}
