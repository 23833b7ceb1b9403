import { Alert, Badge, Button, Code, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api, type Webhook } from '../../app/api';
import { ErrorPanel } from '../../components/error-panel';
import { useEvents } from './webhook-form';

interface ExplainProps {
  readonly webhook: Webhook;
  readonly onShow: (delivery: number) => void;
}

const COLORS: Readonly<Record<string, string>> = { passes: 'teal', stops: 'red', waits: 'orange' };

/** Goes through the steps by which it is decided whether the webhook fires for an event. */
export function Explain({ webhook, onShow }: ExplainProps): ReactNode {
  const events = useEvents(webhook.type);
  const [event, setEvent] = useState<string | null>(null);
  const [object, setObject] = useState('');
  const ask = useMutation({
    mutationFn: async () => {
      const query = { event: event ?? '', ...(object.trim() === '' ? {} : { object: object.trim() }) };
      return unwrap(await api.GET('/api/webhooks/{id}/explain', { params: { path: { id: webhook.id }, query } }));
    },
  });
  const submit = (submitted: FormEvent): void => {
    submitted.preventDefault();
    ask.mutate();
  };
  return (
    <Stack maw={860}>
      <form onSubmit={submit} className="panel panel--padded">
        <Group align="flex-end">
          <Select
            label="Event"
            required
            searchable
            w={240}
            data={[...(events.data ?? [])]}
            value={event}
            onChange={setEvent}
          />
          <TextInput
            label="Id of the object"
            placeholder="Any"
            w={140}
            value={object}
            onChange={(typed) => setObject(typed.currentTarget.value)}
          />
          <Button type="submit" loading={ask.isPending} disabled={event === null}>
            Explain
          </Button>
        </Group>
      </form>
      {ask.error !== null && <ErrorPanel error={ask.error} />}
      {ask.data !== undefined && (
        <section aria-label="Explanation">
          <Alert
            variant="light"
            color={ask.data.fires === true ? 'teal' : ask.data.fires === false ? 'red' : 'gray'}
            title={
              ask.data.fires === true
                ? 'It fires'
                : ask.data.fires === false
                  ? 'It does not fire'
                  : 'It depends on an event that has not happened yet'
            }
            mb="md"
          />
          <div className="panel table-scroll">
            <Table verticalSpacing="sm" miw={520}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Step</Table.Th>
                  <Table.Th>Verdict</Table.Th>
                  <Table.Th>Why</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {ask.data.steps.map((step) => (
                  <Table.Tr key={step.step}>
                    <Table.Td fw={600}>{step.step}</Table.Td>
                    <Table.Td>
                      <Badge
                        className="status"
                        variant="light"
                        color={COLORS[step.verdict] ?? 'gray'}
                        tt="none"
                        radius="sm"
                      >
                        {step.verdict}
                      </Badge>
                    </Table.Td>
                    <Table.Td>
                      <Text size="sm">{step.reason}</Text>
                      {step.values !== undefined && step.values !== null && (
                        <Code block>{JSON.stringify(step.values, null, 2)}</Code>
                      )}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
          {ask.data.delivery !== null && ask.data.delivery !== undefined && (
            <Button
              mt="sm"
              size="xs"
              variant="default"
              onClick={() => onShow((ask.data.delivery as { id: number }).id)}
            >
              Look at its delivery
            </Button>
          )}
        </section>
      )}
    </Stack>
  );
}
