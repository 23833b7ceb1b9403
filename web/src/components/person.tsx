import { Avatar, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { BasicUser } from '../app/api';

type Named = Pick<BasicUser, 'username' | 'first_name' | 'last_name'>;

/** First and last name, or the username if both are empty. */
export const displayName = ({ username, first_name: first, last_name: last }: Named): string =>
  `${first} ${last}`.trim() || username;

/** A user in a table or card, or “Nobody”. */
export function Person({ user }: { readonly user: BasicUser | null | undefined }): ReactNode {
  if (user === null || user === undefined)
    return (
      <Text size="sm" c="dimmed">
        Nobody
      </Text>
    );
  return (
    <Group gap={6} wrap="nowrap">
      <Avatar size={22} radius="xl" color="slate" variant="filled" name={displayName(user)} alt="" aria-hidden />
      <Text size="sm" title={user.username} truncate>
        {displayName(user)}
      </Text>
    </Group>
  );
}
