import {
  Alert,
  Button,
  Checkbox,
  Fieldset,
  Group,
  PasswordInput,
  Radio,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api, type Webhook } from '../../app/api';
import type { Problem } from '../../app/problems';
import { ErrorPanel } from '../../components/error-panel';
import classes from './webhook-form.module.css';

export type WebhookEvent = Webhook['events'][number];
/** What happens to the secret: it is kept as it is, made by the server, typed, or taken away. */
export type SecretChoice = 'keep' | 'generate' | 'own' | 'none';

export interface WebhookValues {
  readonly target_url: string;
  readonly description: string;
  readonly content_type: 'application/json';
  readonly enable_ssl: boolean;
  readonly is_active: boolean;
  readonly everything: boolean;
  readonly events: readonly WebhookEvent[];
  readonly secretChoice: SecretChoice;
  readonly secret: string;
}

interface WebhookFormProps {
  readonly present: WebhookValues;
  readonly type: 'project' | 'organization' | 'server';
  /** For a new one. */
  readonly isNew: boolean;
  /** Fields that only new webhooks have, such as the project. */
  readonly children?: ReactNode;
  readonly action: string;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly problem: Problem | null;
  readonly onSubmit: (values: WebhookValues) => void;
}

export const NEW_WEBHOOK: WebhookValues = {
  target_url: '',
  description: '',
  content_type: 'application/json',
  enable_ssl: true,
  is_active: true,
  everything: true,
  events: [],
  secretChoice: 'generate',
  secret: '',
};

/** Events that webhooks of a kind may be told of. */
export function useEvents(type: 'project' | 'organization' | 'server') {
  return useQuery({
    queryKey: ['webhook-events', type],
    queryFn: async () => unwrap(await api.GET('/api/webhooks/events', { params: { query: { type } as never } })).events,
    staleTime: Infinity,
  });
}

/** The settings of a webhook, as people know them. */
export function WebhookForm({
  present,
  type,
  isNew,
  children,
  action,
  isBusy,
  error,
  problem,
  onSubmit,
}: WebhookFormProps): ReactNode {
  const [values, setValues] = useState(present);
  const events = useEvents(type);
  const set = (part: Partial<WebhookValues>): void => setValues((before) => ({ ...before, ...part }));
  const fields = problem?.fields ?? {};
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit({ ...values, events: values.everything ? (events.data ?? []) : values.events });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <div className="panel panel--padded">
          <Stack>
            <TextInput
              label="Target URL"
              type="url"
              required
              placeholder="https://example.org/hooks"
              maxLength={8192}
              value={values.target_url}
              error={fields['target_url']}
              onChange={(event) => set({ target_url: event.currentTarget.value })}
            />
            <TextInput
              label="Description"
              maxLength={128}
              value={values.description}
              error={fields['description']}
              onChange={(event) => set({ description: event.currentTarget.value })}
            />
            {children}
            <Select
              label="Content type"
              data={['application/json']}
              value={values.content_type}
              allowDeselect={false}
            />
          </Stack>
        </div>
        <Fieldset legend="Secret" className="panel">
          <SecretFields values={values} isNew={isNew} set={set} error={fields['secret']} />
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
          <Radio.Group
            aria-label="Which events"
            value={values.everything ? 'all' : 'some'}
            onChange={(value) => set({ everything: value === 'all' })}
          >
            <Group>
              <Radio value="all" label="Send everything" />
              <Radio value="some" label="Individual events" />
            </Group>
          </Radio.Group>
          {!values.everything && (
            <EventGroups
              known={events.data ?? []}
              chosen={values.events}
              onChange={(chosen) => set({ events: chosen })}
            />
          )}
          {fields['events'] !== undefined && (
            <Text size="sm" c="var(--mantine-color-error)" mt="xs">
              {fields['events']}
            </Text>
          )}
          {events.error !== null && <ErrorPanel error={events.error} />}
        </Fieldset>
        {!values.is_active && (
          <Alert color="orange" variant="light" title="It will not send anything">
            What happens meanwhile is not lost: it can be sent later, as “missing”.
          </Alert>
        )}
        {error !== null && <ErrorPanel error={error} />}
        <Button type="submit" w="fit-content" loading={isBusy} disabled={events.data === undefined}>
          {action}
        </Button>
      </Stack>
    </form>
  );
}

interface SecretFieldsProps {
  readonly values: WebhookValues;
  readonly isNew: boolean;
  readonly set: (part: Partial<WebhookValues>) => void;
  readonly error: string | undefined;
}

function SecretFields({ values, isNew, set, error }: SecretFieldsProps): ReactNode {
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        Every delivery is signed with it, so that the receiver can tell it from a forged one.
      </Text>
      <Radio.Group aria-label="Secret" value={values.secretChoice} onChange={(value) => set({ secretChoice: value })}>
        <Group>
          {!isNew && <Radio value="keep" label="Keep as it is" />}
          {isNew && <Radio value="generate" label="Generate one" />}
          <Radio value="own" label="My own" />
          <Radio value="none" label="None: unsigned" />
        </Group>
      </Radio.Group>
      {values.secretChoice === 'own' && (
        <PasswordInput
          label="Own secret"
          required
          maxLength={64}
          autoComplete="off"
          value={values.secret}
          error={error}
          onChange={(event) => set({ secret: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}

/** `update:job` is about a job. */
const resourceOf = (event: WebhookEvent): string => event.slice(event.indexOf(':') + 1).replace(/\[.*$/, '');

interface EventGroupsProps {
  readonly known: readonly WebhookEvent[];
  readonly chosen: readonly WebhookEvent[];
  readonly onChange: (chosen: readonly WebhookEvent[]) => void;
}

/** Events by what they are about. */
function EventGroups({ known, chosen, onChange }: EventGroupsProps): ReactNode {
  const resources = [...new Set(known.map(resourceOf))];
  const toggle = (events: readonly WebhookEvent[], on: boolean): void => {
    const others = chosen.filter((event) => !events.includes(event));
    onChange(on ? [...others, ...events] : others);
  };
  return (
    <div className={classes['groups']}>
      {resources.map((resource) => {
        const events = known.filter((event) => resourceOf(event) === resource);
        const count = events.filter((event) => chosen.includes(event)).length;
        return (
          <div key={resource} className={classes['group']} role="group" aria-label={`Events of ${resource}`}>
            <Checkbox
              label={resource}
              fw={600}
              mb={8}
              checked={count === events.length}
              indeterminate={count > 0 && count < events.length}
              onChange={(event) => toggle(events, event.currentTarget.checked)}
            />
            <Stack gap={6} pl={4}>
              {events.map((event) => (
                <Checkbox
                  key={event}
                  size="xs"
                  label={event}
                  checked={chosen.includes(event)}
                  onChange={({ currentTarget }) => toggle([event], currentTarget.checked)}
                />
              ))}
            </Stack>
          </div>
        );
      })}
    </div>
  );
}
