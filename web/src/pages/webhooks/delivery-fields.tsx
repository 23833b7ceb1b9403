import {
  Accordion,
  ActionIcon,
  Button,
  Group,
  Input,
  JsonInput,
  Select,
  Stack,
  Switch,
  TextInput,
} from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../components/icons';
import { NumberField } from '../../components/number-field';
import { type HeaderLine, NEW_WEBHOOK, type WebhookValues } from './webhook-values';
import { tooLong } from '../../components/too-long';

interface FieldsProps {
  readonly values: WebhookValues;
  readonly set: (part: Partial<WebhookValues>) => void;
  /** What is wrong, by the names of the wire. */
  readonly errors: Readonly<Record<string, string>>;
}

const SECTIONS = [
  { name: 'form', title: 'Filter and form', fields: ['filter', 'payload', 'api_version'], Fields: FormFields },
  {
    name: 'pace',
    title: 'Order, pace and retries',
    fields: ['ordered', 'batch_window', 'retry_schedule', 'timeout', 'rate_limit', 'max_concurrency'],
    Fields: PaceFields,
  },
  { name: 'headers', title: 'Headers of your own', fields: ['custom_headers'], Fields: HeaderFields },
] as const;

/** What most webhooks leave as it is. A part with a setting of its own is open, and so is one with a refusal. */
export function DeliveryFields({ values, set, errors }: FieldsProps): ReactNode {
  const [chosen, setChosen] = useState<readonly string[]>(() =>
    SECTIONS.filter(({ fields }) =>
      fields.some((field) => JSON.stringify(values[field]) !== JSON.stringify(NEW_WEBHOOK[field])),
    ).map(({ name }) => name),
  );
  const refused = SECTIONS.filter(({ fields }) => fields.some((field) => errors[field] !== undefined));
  return (
    <Accordion
      multiple
      variant="separated"
      radius="lg"
      value={[...new Set([...chosen, ...refused.map(({ name }) => name)])]}
      onChange={setChosen}
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

function FormFields({ values, set, errors }: FieldsProps): ReactNode {
  return (
    <>
      <JsonInput
        label="Filter"
        description="A rule in JSON Logic over the payload: what it is false for is not sent. Left empty, everything is."
        placeholder='{ "==": [{ "var": "job.state" }, "completed"] }'
        validationError="This is no JSON."
        autosize
        minRows={3}
        maxRows={16}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={values.filter}
        error={errors['filter'] ?? tooLong(values.filter, 8192)}
        onChange={(filter) => set({ filter })}
      />
      <Select
        label="Payload"
        allowDeselect={false}
        data={[
          { value: 'full', label: 'Full: the whole object, and the old values of what changed' },
          { value: 'thin', label: 'Thin: id and address of the object, and the names of what changed' },
        ]}
        value={values.payload}
        error={errors['payload']}
        onChange={(payload) => (payload === null ? undefined : set({ payload }))}
      />
      <Select
        label="Version of the API"
        description="In which the objects are shown; the filter sees the same."
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
    description: 'Saves of one object within it become one delivery.',
    placeholder: 'Each save is sent',
  },
  {
    name: 'timeout',
    label: 'Time-out in seconds',
    description: 'So long the target may take to answer.',
    placeholder: 'As the server is set',
  },
  {
    name: 'rate_limit',
    label: 'Deliveries in a second',
    description: 'At most, for each server process.',
    placeholder: 'As many as there are',
  },
  {
    name: 'max_concurrency',
    label: 'Deliveries at a time',
    description: 'At most, for each server process.',
    placeholder: 'As the server is set',
  },
] as const;

function PaceFields({ values, set, errors }: FieldsProps): ReactNode {
  return (
    <>
      <Switch
        label="Ordered"
        description="One delivery at a time, in the order of the events; one that fails holds up those after it."
        checked={values.ordered}
        error={errors['ordered']}
        onChange={(event) => set({ ordered: event.currentTarget.checked })}
      />
      <TextInput
        label="Retry schedule"
        description="The wait before each attempt, the first one included: 0s, 5s, 5m, 1h, 1d are five attempts."
        placeholder="As the server is set"
        value={values.retry_schedule}
        error={errors['retry_schedule']}
        onChange={(event) => set({ retry_schedule: event.currentTarget.value })}
      />
      <Group align="flex-start" grow preventGrowOverflow={false}>
        {NUMBERS.map(({ name, ...words }) => (
          <NumberField
            key={name}
            {...words}
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
        Sent with every delivery. Values are never shown again: *** keeps the one that is stored.
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
            aria-label={`Take header ${at + 1} away`}
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
        Add a header
      </Button>
    </>
  );
}
