import { Select, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { api, type Membership, type Organization } from '../../app/api';
import { ORGANIZATIONS } from '../../app/organization-menu';
import { FormDialog } from '../../components/form-dialog';
import { showSuccess } from '../../components/notify';
import { displayName } from '../../components/person';

interface TransferDialogProps {
  readonly organization: Organization;
  readonly members: readonly Membership[];
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Transfers the ownership to another member. */
export function TransferDialog({ organization, members, opened, onClose }: TransferDialogProps): ReactNode {
  const [userId, setUserId] = useState<string | null>(null);
  const client = useQueryClient();
  const others = members.filter(({ is_active: isActive, role }) => isActive && role !== 'owner');
  const transfer = useMutation({
    mutationFn: async () => {
      const path = { id: organization.id };
      return unwrap(
        await api.POST('/api/organizations/{id}/transfer', { params: { path }, body: { user_id: Number(userId) } }),
      );
    },
    onSuccess: async () => {
      await Promise.all(
        [['organization'], ['members'], ORGANIZATIONS].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
      showSuccess('The organization has a new owner.');
      onClose();
    },
  });
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title="Transfer ownership"
      action="Transfer"
      mutation={transfer}
      disabled={userId === null}
    >
      <Text size="sm">
        {others.length === 0
          ? 'The organization has no other members. Invite someone first.'
          : 'The current owner becomes a maintainer.'}
      </Text>
      <Select
        label="New owner"
        placeholder="Select a member"
        data={others.map(({ user }) => ({ value: String(user.id), label: displayName(user) }))}
        value={userId}
        onChange={setUserId}
        disabled={others.length === 0}
      />
    </FormDialog>
  );
}
