import { Button, Group, Select, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { api, readAll } from '../../app/api';
import { useDraft } from '../../app/drafts';
import { CopyOnce } from '../../components/copy-field';
import { ErrorPanel } from '../../components/error-panel';
import { Loaded } from '../../components/loaded';
import { submitting } from '../../components/submitting';
import { TokenTable } from '../../components/token-table';
import { tooLong } from '../../components/too-long';

const TOKENS = ['access-tokens'] as const;
const NEW_TOKEN = { name: '', days: '90', readOnly: false };
const DAY_MS = 86_400_000;
const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: '', label: 'No expiration' },
];

/** Access tokens, which let programs use the API. */
export function Tokens(): ReactNode {
  const [created, setCreated] = useState<string | null>(null);
  return (
    <Stack>
      <div className="panel panel--padded">
        <Text size="sm" mb="md">
          Programs send a token as <code>Authorization: Bearer …</code> to use the API with your account.
        </Text>
        {created === null ? (
          <TokenForm onCreated={setCreated} />
        ) : (
          <CopyOnce title="Token created" value={created} onDone={() => setCreated(null)} />
        )}
      </div>
      <OwnTokens />
    </Stack>
  );
}

function TokenForm({ onCreated }: { readonly onCreated: (value: string) => void }): ReactNode {
  const [draft, setDraft] = useDraft('new access token', NEW_TOKEN);
  const set = (part: Partial<typeof NEW_TOKEN>): void => setDraft((before) => ({ ...before, ...part }));
  const { name, days, readOnly } = draft;
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: async () => {
      const expiry = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
      const body = { name: name.trim(), expiry_date: expiry, read_only: readOnly };
      return unwrap(await api.POST('/api/auth/access_tokens', { body }));
    },
    onSuccess: async ({ value }) => {
      setDraft(NEW_TOKEN);
      onCreated(value);
      await client.invalidateQueries({ queryKey: TOKENS });
    },
  });
  return (
    <form onSubmit={submitting(create)}>
      <Stack>
        <Group align="flex-end">
          <TextInput
            label="Name"
            placeholder="Nightly export"
            required
            flex={1}
            miw={180}
            value={name}
            error={tooLong(name, 50)}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <Select
            label="Expiration"
            w={180}
            allowDeselect={false}
            data={LIFETIMES}
            value={days}
            onChange={(value) => set({ days: value ?? '' })}
          />
          <Button type="submit" loading={create.isPending}>
            Create token
          </Button>
        </Group>
        <Switch
          label="Read-only"
          checked={readOnly}
          onChange={(event) => set({ readOnly: event.currentTarget.checked })}
        />
        {create.error !== null && <ErrorPanel error={create.error} />}
      </Stack>
    </form>
  );
}

function OwnTokens(): ReactNode {
  const client = useQueryClient();
  const query = useQuery({ queryKey: TOKENS, queryFn: () => readAll('/api/auth/access_tokens', {}) });
  const revoke = async (id: number): Promise<void> => {
    unwrap(await api.DELETE('/api/auth/access_tokens/{id}', { params: { path: { id } } }));
    await client.invalidateQueries({ queryKey: TOKENS });
  };
  return (
    <section aria-labelledby="tokens-title">
      <Title order={2} mb="sm" id="tokens-title">
        Your tokens
      </Title>
      <Loaded query={query}>
        {(tokens) => <TokenTable tokens={tokens} empty="You have no access tokens." revoke={revoke} />}
      </Loaded>
    </section>
  );
}
