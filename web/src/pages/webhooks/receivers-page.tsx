import { Anchor, Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { Receiver } from '../../app/api';
import { explain } from '../../app/problems';
import { ConfirmButton } from '../../components/confirm';
import { Crumbs } from '../../components/crumbs';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { submitting } from '../../components/submitting';
import { TimeAgo } from '../../components/time-ago';
import { createReceiver, RECEIVERS, removeReceiver, useReceivers } from './receivers';
import { tooLong } from '../../components/too-long';

export function Component(): ReactNode {
  const query = useReceivers();
  const client = useQueryClient();
  const remove = async (id: string): Promise<void> => {
    await removeReceiver(id);
    await client.invalidateQueries({ queryKey: RECEIVERS });
  };
  return (
    <Page
      title="Receivers"
      above={<Crumbs crumbs={[{ to: '/webhooks', title: 'Webhooks' }]} />}
      subtitle="URLs on this server that store the requests they receive. Use them as targets to test webhooks."
    >
      {query.data === null ? (
        <EmptyState
          icon="webhook"
          title="Receivers are disabled"
          text="An administrator can enable them with INSPECT_ENABLED=true."
        />
      ) : (
        <Stack>
          <NewReceiver />
          <Loaded query={query}>
            {(receivers) => (
              <DataTable
                rows={receivers ?? []}
                columns={columnsOf(remove)}
                keyOf={({ id }) => id}
                minWidth={620}
                empty="You have no receivers."
              />
            )}
          </Loaded>
        </Stack>
      )}
    </Page>
  );
}

function NewReceiver(): ReactNode {
  const [secret, setSecret] = useState('');
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () => createReceiver(secret),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: RECEIVERS });
      await navigate(`/webhooks/receivers/${id}`);
    },
  });
  return (
    <form onSubmit={submitting(create)} className="panel panel--padded">
      <Group align="flex-end">
        <TextInput
          label="Webhook secret"
          description="Used to verify signatures. If empty, signatures are not verified."
          flex={1}
          miw={220}
          autoComplete="off"
          value={secret}
          error={(create.error === null ? undefined : explain(create.error).fields['secret']) ?? tooLong(secret, 64)}
          onChange={(event) => setSecret(event.currentTarget.value)}
        />
        <Button type="submit" loading={create.isPending}>
          Create receiver
        </Button>
      </Group>
      {create.error !== null && (
        <div style={{ marginTop: 12 }}>
          <ErrorPanel error={create.error} />
        </div>
      )}
    </form>
  );
}

const columnsOf = (remove: (id: string) => Promise<void>): readonly Column<Receiver>[] => [
  {
    title: 'URL',
    isText: true,
    cell: ({ id, url }) => (
      <Anchor component={Link} to={`/webhooks/receivers/${id}`} fw={600} size="sm" underline="hover">
        {url}
      </Anchor>
    ),
  },
  { title: 'Signatures', cell: ({ has_secret: isVerified }) => (isVerified ? 'verified' : 'not verified') },
  { title: 'Created', cell: ({ created_date: date }) => <TimeAgo date={date} /> },
  { title: 'Expires', cell: ({ expiry_date: date }) => <TimeAgo date={date} /> },
  {
    title: 'Actions',
    isActions: true,
    cell: ({ id, url }) => (
      <ConfirmButton
        label={`Delete ${url}`}
        title="Delete the receiver?"
        text="This also deletes the requests it received. Deliveries to it will fail."
        action="Delete receiver"
        onConfirm={() => remove(id)}
      >
        Delete
      </ConfirmButton>
    ),
  },
];
