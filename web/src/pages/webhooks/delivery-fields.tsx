import { Accordion, ActionIcon, Button, Group, Input, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../components/icons';
import { NumberField } from '../../components/number-field';
import { type HeaderLine, NEW_WEBHOOK, type WebhookValues } from './webhook-values';
import { tooLong } from '../../components/too-long';

interface FieldsProps {
  readonly values: WebhookValues;
  readonly set: (part: Partial<WebhookValues>) => void;
  /** Error messages by the API's field names. */
  readonly errors: Readonly<Record<string, string>>;
}

const SECTIONS = [
  { name: 'payload', title: 'Filter and payload', fields: ['filter', 'payload', 'api_version'], Fields: PayloadFields },
  {
    name: 'sending',
    title: 'Order, rate and retries',
    fields: ['ordered', 'batch_window', 'retry_schedule', 'timeout', 'rate_limit', 'max_concurrency'],
    Fields: SendingFields,
  },
  { name: 'headers', title: 'Custom headers', fields: ['custom_headers'], Fields: HeaderFields },
] as const;

/** Settings that most webhooks leave at their defaults. Sections with changed settings or errors are open. */
export function DeliveryFields({ values, set, errors }: FieldsProps): ReactNode {
  const [opened, setOpened] = useState<readonly string[]>(() =>
    SECTIONS.filter(({ fields }) =>
      fields.some((field) => JSON.stringify(values[field]) !== JSON.stringify(NEW_WEBHOOK[field])),
    ).map(({ name }) => name),
  );
  const invalid = SECTIONS.filter(({ fields }) => fields.some((field) => errors[field] !== undefined));
  return (
    <Accordion
      multiple
      variant="separated"
      radius="lg"
      value={[...new Set([...opened, ...invalid.map(({ name }) => name)])]}
      onChange={setOpened}
    >
      {SECTIONS.map(({ name, title, Fields }) => (
        <Accordion.Item key={name} value={name}>
          <Accordion.Control>{title}</Accordion.Control>
          <Accordion.Panel>
            <Stack>
              <Fields values={values} set={set} errors={errors} />
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function PayloadFields({ values, set, errors }: FieldsProps): ReactNode {
  return (
    <>
      <Textarea
        label="Filter"
        description="A JSON Logic rule for the payload. The webhook sends only events for which the rule is true. If empty, it sends all events."
        placeholder='{ "==": [{ "var": "job.state" }, "completed"] }'
        autosize
        minRows={3}
        maxRows={16}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={values.filter}
        error={errors['filter'] ?? tooLong(values.filter, 8192)}
        onChange={(event) => set({ filter: event.currentTarget.value })}
      />
      <Select
        label="Payload"
        allowDeselect={false}
        data={[
          { value: 'full', label: 'Full: the object, and the previous values of changed fields' },
          { value: 'thin', label: 'Thin: ID and URL of the object, and the names of changed fields' },
        ]}
        value={values.payload}
        error={errors['payload']}
        onChange={(payload) => (payload === null ? undefined : set({ payload }))}
      />
      <Select
        label="API version"
        description="The version of the objects in the payload. The filter uses the same version."
        allowDeselect={false}
        data={['2.2', '2.1', '2.0']}
        value={values.api_version}
        error={errors['api_version']}
        onChange={(version) => (version === null ? undefined : set({ api_version: version }))}
      />
    </>
  );
}

const NUMBERS = [
  {
    name: 'batch_window',
    label: 'Batch window in seconds',
    description: 'Merges repeated saves of an object within this time into one delivery.',
    placeholder: 'Send each change',
  },
  {
    name: 'timeout',
    label: 'Timeout in seconds',
    description: 'How long to wait for a response.',
    placeholder: 'Server default',
  },
  {
    name: 'rate_limit',
    label: 'Deliveries per second',
    description: 'Maximum for each server process.',
    placeholder: 'Unlimited',
  },
  {
    name: 'max_concurrency',
    label: 'Concurrent deliveries',
    description: 'Maximum for each server process.',
    placeholder: 'Server default',
  },
] as const;

function SendingFields({ values, set, errors }: FieldsProps): ReactNode {
  return (
    <>
      <Switch
        label="Ordered"
        description="Sends one delivery at a time, in the order of the events. A failing delivery blocks the later ones."
        checked={values.ordered}
        error={errors['ordered']}
        onChange={(event) => set({ ordered: event.currentTarget.checked })}
      />
      <TextInput
        label="Retry schedule"
        description="The delay before each attempt, including the first. For example, 0s, 5s, 5m, 1h, 1d are five attempts."
        placeholder="Server default"
        value={values.retry_schedule}
        error={errors['retry_schedule']}
        onChange={(event) => set({ retry_schedule: event.currentTarget.value })}
      />
      <Group align="flex-start" grow preventGrowOverflow={false}>
        {NUMBERS.map(({ name, ...texts }) => (
          <NumberField
            key={name}
            {...texts}
            miw={220}
            value={values[name]}
            error={errors[name]}
            onChange={(value) => set({ [name]: value })}
          />
        ))}
      </Group>
    </>
  );
}

function HeaderFields({ values, set, errors }: FieldsProps): ReactNode {
  const lines = values.custom_headers;
  const error = errors['custom_headers'];
  const change = (at: number, part: Partial<HeaderLine>): void =>
    set({ custom_headers: lines.map((line, index) => (index === at ? { ...line, ...part } : line)) });
  return (
    <>
      <Input.Description>
        Sent with every delivery. Stored values are not shown again. To keep a stored value, leave ***.
      </Input.Description>
      {lines.map((line, at) => (
        <Group key={at} wrap="nowrap" align="flex-end" gap="xs">
          <TextInput
            label={`Name of header ${at + 1}`}
            placeholder="X-Environment"
            flex={1}
            required
            value={line.name}
            error={
              (error !== undefined && line.name !== '' && error.includes(`"${line.name.trim()}"`)) ||
              tooLong(line.name, 100)
            }
            onChange={(event) => change(at, { name: event.currentTarget.value })}
          />
          <TextInput
            label={`Value of header ${at + 1}`}
            flex={2}
            value={line.value}
            error={tooLong(line.value, 1000)}
            onChange={(event) => change(at, { value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="red"
            size={36}
            aria-label={`Remove header ${at + 1}`}
            onClick={() => set({ custom_headers: lines.filter((_, index) => index !== at) })}
          >
            <Icon name="trash" size={16} />
          </ActionIcon>
        </Group>
      ))}
      {error !== undefined && (
        <Input.Error size="sm" role="alert">
          {error}
        </Input.Error>
      )}
      <Button
        w="fit-content"
        size="xs"
        variant="default"
        leftSection={<Icon name="plus" size={14} />}
        disabled={lines.length >= 20}
        onClick={() => set({ custom_headers: [...lines, { name: '', value: '' }] })}
      >
        Add header
      </Button>
    </>
  );
}
