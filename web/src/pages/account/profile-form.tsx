import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api } from '../../app/api';
import { explain } from '../../app/problems';
import { SELF, useUser } from '../../app/session';
import { ErrorPanel } from '../../components/error-panel';
import { showSuccess } from '../../components/notify';
import { submitting } from '../../components/submitting';
import { tooLong } from '../../components/too-long';

export function ProfileForm(): ReactNode {
  const user = useUser();
  const client = useQueryClient();
  const [values, setValues] = useState({
    username: user.username,
    first_name: user.first_name,
    last_name: user.last_name,
  });
  const save = useMutation({
    mutationFn: async () =>
      unwrap(await api.PATCH('/api/users/{id}', { params: { path: { id: user.id } }, body: values })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: SELF });
      showSuccess('Profile saved.');
    },
  });
  const fields = save.error === null ? {} : explain(save.error).fields;
  const field = (name: keyof typeof values): object => ({
    value: values[name],
    error: fields[name] ?? tooLong(values[name], 150),
    onChange: (event: FormEvent<HTMLInputElement>) => {
      const { value } = event.currentTarget;
      setValues((before) => ({ ...before, [name]: value }));
    },
  });
  return (
    <form onSubmit={submitting(save)} className="panel panel--padded">
      <Stack>
        <TextInput label="Username" required autoComplete="username" {...field('username')} />
        <Group grow align="flex-start">
          <TextInput label="First name" autoComplete="given-name" {...field('first_name')} />
          <TextInput label="Last name" autoComplete="family-name" {...field('last_name')} />
        </Group>
        <TextInput label="Email" value={user.email ?? ''} readOnly description="An administrator can change it." />
        {save.error !== null && <ErrorPanel error={save.error} />}
        <Button type="submit" w="fit-content" loading={save.isPending}>
          Save
        </Button>
      </Stack>
    </form>
  );
}
