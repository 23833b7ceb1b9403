import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CairnError, unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { api, type Webhook } from '../../app/api';
import { Loaded } from '../../components/loaded';
import { showSuccess } from '../../components/notify';
import { onlyIf, type Tagged } from '../../components/tagged';
import { useEvents } from './event-fields';
import { readWebhook, webhookKey } from './read-webhook';
import { WebhookForm } from './webhook-form';
import { changesBetween, settingsOf, valuesOf, type WebhookEvent, type WebhookValues } from './webhook-values';

/** Deliveries change the ETag of a webhook, too. A save is attempted this often if no setting has changed. */
const MAX_ATTEMPTS = 3;

interface WebhookSettingsProps {
  readonly present: Tagged<Webhook>;
}

/** Edits a webhook. Only changed fields are sent, and changes that others made meanwhile are not overwritten. */
export function WebhookSettings({ present }: WebhookSettingsProps): ReactNode {
  const { id, type } = present.value;
  const client = useQueryClient();
  const events = useEvents(type);
  const [typed, setTyped] = useState<Partial<WebhookValues>>({});
  const refresh = (): Promise<unknown> =>
    Promise.all([webhookKey(id), ['webhooks']].map((queryKey) => client.invalidateQueries({ queryKey })));
  const save = useMutation({
    mutationFn: (settings: Record<string, unknown>) => saveChanges(present, settings, events.data ?? []),
    onSuccess: async () => {
      await refresh();
      setTyped({});
      showSuccess('The webhook is saved.');
    },
  });
  return (
    <div style={{ maxWidth: 860 }}>
      <Loaded query={events}>
        {(known) => (
          <WebhookForm
            present={valuesOf(present.value, known)}
            typed={typed}
            onType={setTyped}
            type={type}
            isNew={false}
            action="Save"
            isBusy={save.isPending}
            error={save.error}
            onReload={() => void refresh().then(() => save.reset())}
            onSubmit={(settings) => save.mutate(settings)}
          />
        )}
      </Loaded>
    </div>
  );
}

/** @throws CairnError 412 if someone else has changed the settings */
async function saveChanges(
  present: Tagged<Webhook>,
  settings: Record<string, unknown>,
  known: readonly WebhookEvent[],
): Promise<void> {
  const { id } = present.value;
  const settingsNow = (webhook: Webhook): Record<string, unknown> => settingsOf(valuesOf(webhook, known), known);
  const before = settingsNow(present.value);
  const body = changesBetween(before, settings);
  let { etag } = present;
  for (let attempt = 1; ; attempt += 1) {
    try {
      unwrap(
        await api.PATCH('/api/webhooks/{id}', {
          params: { path: { id } },
          headers: onlyIf(etag),
          body: body as never,
        }),
      );
      return;
    } catch (error) {
      if (!(error instanceof CairnError) || error.status !== 412 || attempt === MAX_ATTEMPTS) throw error;
      const now = await readWebhook(id);
      if (Object.keys(changesBetween(before, settingsNow(now.value))).length > 0) throw error;
      etag = now.etag;
    }
  }
}
