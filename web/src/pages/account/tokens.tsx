import { Button, Group, Select, Stack, Switch, Table, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { paginate, unwrap } from 'cairn-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { type AccessToken, api } from '../../app/api';
import { Confirm } from '../../components/confirm';
import { CopyOnce } from '../../components/copy-field';
import { ErrorPanel } from '../../components/error-panel';
import { PageLoader } from '../../components/page-loader';
import { formatDate, TimeAgo } from '../../components/time-ago';

const TOKENS = ['access-tokens'] as const;
const DAY_MS = 86_400_000;
const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: '', label: 'Until it is revoked' },
];

/** Access tokens for scripts and programs. */
export function Tokens(): ReactNode {
  const [made, setMade] = useState<string | null>(null);
  return (
    <Stack>
      <div className="panel panel--padded">
        <Text size="sm" mb="md">
          Programs send a token as <code>Authorization: Bearer …</code> and then act for you.
        </Text>
        {made === null ? (
          <TokenForm onMade={setMade} />
        ) : (
          <CopyOnce title="The token is made" value={made} onDone={() => setMade(null)} />
        )}
      </div>
      <TokenTable />
    </Stack>
  );
}

function TokenForm({ onMade }: { readonly onMade: (value: string) => void }): ReactNode {
  const [name, setName] = useState('');
  const [days, setDays] = useState('90');
  const [readOnly, setReadOnly] = useState(false);
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: async () => {
      const expiry = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
      const body = { name: name.trim(), expiry_date: expiry, read_only: readOnly };
      return unwrap(await api.POST('/api/auth/access_tokens', { body }));
    },
    onSuccess: async ({ value }) => {
      onMade(value);
      await client.invalidateQueries({ queryKey: TOKENS });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Group align="flex-end">
          <TextInput
            label="Name"
            placeholder="Nightly export"
            required
            maxLength={50}
            flex={1}
            miw={180}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Select
            label="Valid for"
            w={180}
            allowDeselect={false}
            data={LIFETIMES}
            value={days}
            onChange={(value) => setDays(value ?? '')}
          />
          <Button type="submit" loading={create.isPending}>
            Create
          </Button>
        </Group>
        <Switch
          label="May only read"
          checked={readOnly}
          onChange={(event) => setReadOnly(event.currentTarget.checked)}
        />
        {create.error !== null && <ErrorPanel error={create.error} />}
      </Stack>
    </form>
  );
}

function TokenTable(): ReactNode {
  const client = useQueryClient();
  const [revoked, setRevoked] = useState<AccessToken | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: TOKENS,
    queryFn: async () => {
      const found: AccessToken[] = [];
      for await (const token of paginate(api, '/api/auth/access_tokens', {})) found.push(token);
      return found;
    },
  });
  if (data === undefined)
    return error === null ? <PageLoader /> : <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        You have no access tokens.
      </Text>
    );
  const revoke = async (id: number): Promise<void> => {
    unwrap(await api.DELETE('/api/auth/access_tokens/{id}', { params: { path: { id } } }));
    await client.invalidateQueries({ queryKey: TOKENS });
  };
  return (
    <section aria-labelledby="tokens-title">
      <Title order={2} mb="sm" id="tokens-title">
        Your tokens
      </Title>
      <div className="panel table-scroll">
        <Table verticalSpacing="sm" miw={560}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>May</Table.Th>
              <Table.Th>Made</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th>Ends</Table.Th>
              <Table.Th>
                <span className="visually-hidden">Actions</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.map((token) => (
              <Table.Tr key={token.id}>
                <Table.Td fw={500}>{token.name}</Table.Td>
                <Table.Td>{token.read_only ? 'read' : 'read and change'}</Table.Td>
                <Table.Td>
                  <TimeAgo date={token.created_date} />
                </Table.Td>
                <Table.Td>{token.last_used_date === null ? 'never' : <TimeAgo date={token.last_used_date} />}</Table.Td>
                <Table.Td>{token.expiry_date === null ? 'never' : formatDate(token.expiry_date)}</Table.Td>
                <Table.Td ta="right">
                  <Button
                    size="xs"
                    variant="subtle"
                    color="red"
                    aria-label={`Revoke ${token.name}`}
                    onClick={() => setRevoked(token)}
                  >
                    Revoke
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      <Confirm
        opened={revoked !== null}
        onClose={() => setRevoked(null)}
        title={`Revoke ${revoked?.name ?? ''}?`}
        text="Programs that use it are refused from now on."
        action="Revoke"
        onConfirm={() => (revoked === null ? Promise.resolve() : revoke(revoked.id))}
      />
    </section>
  );
}
