import { Button, Checkbox, PasswordInput, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api } from '../../app/api';
import { explain } from '../../app/problems';
import { ErrorPanel } from '../../components/error-panel';
import { showSuccess } from '../../components/notify';
import { submitting } from '../../components/submitting';

const EMPTY = { old_password: '', new_password1: '', new_password2: '' };

/** Changes the password. This ends other sessions and, unless they are kept, revokes access tokens. */
export function PasswordForm(): ReactNode {
  const [values, setValues] = useState(EMPTY);
  const [keepsTokens, setKeepsTokens] = useState(false);
  const change = useMutation({
    mutationFn: async () =>
      unwrap(await api.POST('/api/auth/password/change', { body: { ...values, keep_access_tokens: keepsTokens } })),
    onSuccess: () => {
      setValues(EMPTY);
      showSuccess(`Password changed. Other sessions have ended${keepsTokens ? '' : ' and access tokens are revoked'}.`);
    },
  });
  const fields = change.error === null ? {} : explain(change.error).fields;
  const field = (name: keyof typeof EMPTY): object => ({
    value: values[name],
    error: fields[name],
    required: true,
    onChange: (event: FormEvent<HTMLInputElement>) => {
      const { value } = event.currentTarget;
      setValues((before) => ({ ...before, [name]: value }));
    },
  });
  return (
    <form onSubmit={submitting(change)} className="panel panel--padded">
      <Stack maw={420}>
        <PasswordInput label="Current password" autoComplete="current-password" {...field('old_password')} />
        <PasswordInput
          label="New password"
          description="At least 8 characters, and not only digits."
          autoComplete="new-password"
          {...field('new_password1')}
        />
        <PasswordInput label="Confirm new password" autoComplete="new-password" {...field('new_password2')} />
        <Checkbox
          label="Keep my access tokens"
          description="Do not keep them if someone else may know your password."
          checked={keepsTokens}
          onChange={(event) => setKeepsTokens(event.currentTarget.checked)}
        />
        {change.error !== null && <ErrorPanel error={change.error} />}
        <Button type="submit" w="fit-content" loading={change.isPending}>
          Change password
        </Button>
      </Stack>
    </form>
  );
}
