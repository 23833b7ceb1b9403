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
  /** What is there; fields that nobody touched follow it. */
  readonly present: WebhookValues;
  /** What was typed and is not saved yet. */
  readonly typed: Partial<WebhookValues>;
  readonly onType: (typed: Partial<WebhookValues>) => void;
  readonly type: WebhookType;
  /** For a new one. */
  readonly isNew: boolean;
  /** Fields that only new webhooks have, such as the project; they get what was refused of them. */
  readonly children?: (errors: Readonly<Record<string, string>>) => ReactNode;
  readonly action: string;
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Shows the present state again after somebody else was faster. */
  readonly onReload?: () => void;
  /** @param settings in the form of the wire */
  readonly onSubmit: (settings: Record<string, unknown>) => void;
  /** Throws away what was typed. */
  readonly onClear?: (() => void) | undefined;
}

/** The settings of a webhook, as people know them. */
export function WebhookForm(props: WebhookFormProps): ReactNode {
  const { present, typed, type, isNew, children, action, isBusy, onReload, onSubmit, onClear } = props;
  const [unsent, setUnsent] = useState<InvalidInput | null>(null);
  const values = { ...present, ...typed };
  const events = useEvents(type);
  const error = unsent ?? props.error;
  const problem = error === null ? null : explain(error);
  const errors = problem?.fields ?? {};
  const form = useFocusOnRefusal(error);
  const set = (part: Partial<WebhookValues>): void => props.onType({ ...typed, ...part });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    try {
      const settings = settingsOf(values, events.data ?? []);
      setUnsent(null);
      onSubmit(settings);
    } catch (refused) {
      if (!(refused instanceof InvalidInput)) throw refused;
      setUnsent(refused);
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
                onMade={(target_url, secret) => set({ target_url, secret, secretChoice: 'own' })}
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
        <Fieldset legend="Sending" className="panel">
          <Stack gap="sm">
            <Switch
              label="Active"
              description="Deliveries are made and sent."
              checked={values.is_active}
              onChange={(event) => set({ is_active: event.currentTarget.checked })}
            />
            <Switch
              label="Enable SSL"
              description="The certificate of the target is verified."
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
          <Alert color="orange" variant="light" title="It will not send anything">
            What happens meanwhile is not lost: it can be sent later, as “missing”.
          </Alert>
        )}
        {error !== null && <ErrorPanel error={error} onRetry={problem?.status === 412 ? onReload : undefined} />}
        <Group>
          <Button type="submit" loading={isBusy} disabled={events.data === undefined}>
            {action}
          </Button>
          {onClear !== undefined && (
            <Button variant="subtle" onClick={onClear}>
              Empty the form
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
