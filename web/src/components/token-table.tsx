import type { ReactNode } from 'react';
import type { AccessToken } from '../app/api';
import { ConfirmButton } from './confirm';
import { type Column, DataTable } from './data-table';
import { formatDate, TimeAgo } from './time-ago';

interface TokenTableProps {
  readonly tokens: readonly AccessToken[];
  /** Shown if there are none. */
  readonly empty: string;
  readonly revoke: (id: number) => Promise<void>;
}

/** The access tokens of a user. */
export function TokenTable({ tokens, empty, revoke }: TokenTableProps): ReactNode {
  return <DataTable rows={tokens} columns={columnsOf(revoke)} keyOf={({ id }) => id} minWidth={560} empty={empty} />;
}

const columnsOf = (revoke: (id: number) => Promise<void>): readonly Column<AccessToken>[] => [
  { title: 'Name', isText: true, cell: ({ name }) => <b>{name}</b> },
  { title: 'Permissions', cell: ({ read_only: isReadOnly }) => (isReadOnly ? 'read' : 'read and write') },
  { title: 'Created', cell: ({ created_date: date }) => <TimeAgo date={date} /> },
  { title: 'Last used', cell: ({ last_used_date: date }) => (date === null ? 'never' : <TimeAgo date={date} />) },
  { title: 'Expires', cell: ({ expiry_date: date }) => (date === null ? 'never' : formatDate(date)) },
  {
    title: 'Actions',
    isActions: true,
    cell: ({ id, name }) => (
      <ConfirmButton
        label={`Revoke ${name}`}
        title={`Revoke ${name}?`}
        text="Programs that use this token will lose access. This cannot be undone."
        action="Revoke"
        onConfirm={() => revoke(id)}
      />
    ),
  },
];
