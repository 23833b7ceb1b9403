import { Modal } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api, type User } from '../../app/api';
import { Loaded } from '../../components/loaded';
import { TokenTable } from '../../components/token-table';

interface UserTokensDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly user: User;
}

/** The access tokens of a user, which an administrator can revoke. */
export function UserTokensDialog({ opened, onClose, user: { id, username } }: UserTokensDialogProps): ReactNode {
  return (
    <Modal opened={opened} onClose={onClose} title={`Access tokens of ${username}`} centered size="xl">
      {opened && <UserTokens userId={id} username={username} />}
    </Modal>
  );
}

function UserTokens({ userId, username }: { readonly userId: number; readonly username: string }): ReactNode {
  const client = useQueryClient();
  const queryKey = ['users', userId, 'access-tokens'];
  const query = useQuery({
    queryKey,
    queryFn: async () => {
      const params = { path: { id: userId }, query: { page_size: 'all' } };
      return unwrap(await api.GET('/api/users/{id}/access_tokens', { params })).results;
    },
  });
  const revoke = async (token: number): Promise<void> => {
    const params = { path: { id: userId, token } };
    unwrap(await api.DELETE('/api/users/{id}/access_tokens/{token}', { params }));
    await client.invalidateQueries({ queryKey });
  };
  return (
    <Loaded query={query}>
      {(tokens) => <TokenTable tokens={tokens} empty={`${username} has no access tokens.`} revoke={revoke} />}
    </Loaded>
  );
}
