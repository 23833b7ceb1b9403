import { Alert, Button, Fieldset, Group, Select, Stack, Switch, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { InvalidInput } from '../../app/invalid-input';
import { explain } from '../../app/problems';
import { ErrorPanel } from '../../components/error-panel';
import { DeliveryFields } from './delivery-fields';
import { EventFields, useEvents } from './event-fields';
import { ReceiverButton } from './receiver-button';
import { SecretFields } from './secret-fields';
import { settingsOf, type WebhookType, type WebhookValues } from './webhook-values';
import { tooLong } from '../../components/too-long';
import { useFocusOnRefusal } from '../../components/submitting';

interface WebhookFormProps {
  /** The saved values. Fields that were not edited follow them. */
  readonly present: WebhookValues;
  /** Edits that are not saved yet. */
  readonly typed: Partial<WebhookValues>;
  readonly onType: (typed: Partial<WebhookValues>) => void;
  readonly type: WebhookType;
  /** Whether the form creates a webhook. */
  readonly isNew: boolean;
  /** Fields that only new webhooks have, such as the project. They receive the errors of all fields. */
  readonly children?: (errors: Readonly<Record<string, string>>) => ReactNode;
  readonly action: string;
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Loads the current version after an edit conflict. */
  readonly onReload?: () => void;
  /** @param settings as the API takes them */
  readonly onSubmit: (settings: Record<string, unknown>) => void;
  /** Discards the edits. */
  readonly onClear?: (() => void) | undefined;
}

/** The form for the settings of a webhook. */
export function WebhookForm(props: WebhookFormProps): ReactNode {
  const { present, typed, type, isNew, children, action, isBusy, onReload, onSubmit, onClear } = props;
  const [invalid, setInvalid] = useState<InvalidInput | null>(null);
  const values = { ...present, ...typed };
  const events = useEvents(type);
  const error = invalid ?? props.error;
  const problem = error === null ? null : explain(error);
  const errors = problem?.fields ?? {};
  const form = useFocusOnRefusal(error);
  const set = (part: Partial<WebhookValues>): void => props.onType({ ...typed, ...part });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    try {
      const settings = settingsOf(values, events.data ?? []);
      setInvalid(null);
      onSubmit(settings);
    } catch (refused) {
      if (!(refused instanceof InvalidInput)) throw refused;
      setInvalid(refused);
    }
  };
  return (
    <form onSubmit={submit} ref={form}>
      <Stack gap="lg">
        <div className="panel panel--padded">
          <Stack>
            <TextInput
              label="Target URL"
              type="url"
              required
              placeholder="https://example.org/hooks"
              value={values.target_url}
              error={errors['target_url'] ?? tooLong(values.target_url, 8192)}
              onChange={(event) => set({ target_url: event.currentTarget.value })}
            />
            {isNew && (
              <ReceiverButton
                secret={values.secretChoice === 'own' ? values.secret : ''}
                onCreated={(target_url, secret) => set({ target_url, secret, secretChoice: 'own' })}
              />
            )}
            <TextInput
              label="Description"
              value={values.description}
              error={errors['description'] ?? tooLong(values.description, 128)}
              onChange={(event) => set({ description: event.currentTarget.value })}
            />
            {children?.(errors)}
            <Select
              label="Content type"
              data={['application/json']}
              value={values.content_type}
              allowDeselect={false}
              error={errors['content_type']}
            />
          </Stack>
        </div>
        <Fieldset legend="Secret" className="panel">
          <SecretFields values={values} isNew={isNew} set={set} error={errors['secret']} />
        </Fieldset>
        <Fieldset legend="Delivery" className="panel">
          <Stack gap="sm">
            <Switch
              label="Active"
              description="Sends deliveries for new events."
              checked={values.is_active}
              onChange={(event) => set({ is_active: event.currentTarget.checked })}
            />
            <Switch
              label="Enable SSL"
              description="Verifies the TLS certificate of the target."
              checked={values.enable_ssl}
              onChange={(event) => set({ enable_ssl: event.currentTarget.checked })}
            />
          </Stack>
        </Fieldset>
        <Fieldset legend="Events" className="panel">
          <EventFields query={events} values={values} set={set} error={errors['events']} />
        </Fieldset>
        <DeliveryFields values={values} set={set} errors={errors} />
        {!values.is_active && (
          <Alert color="orange" variant="light" title="The webhook will be disabled">
            It sends nothing, but the server keeps its events. You can send them later.
          </Alert>
        )}
        {error !== null && <ErrorPanel error={error} onRetry={problem?.status === 412 ? onReload : undefined} />}
        <Group>
          <Button type="submit" loading={isBusy} disabled={events.data === undefined}>
            {action}
          </Button>
          {onClear !== undefined && (
            <Button variant="subtle" onClick={onClear}>
              Clear form
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
