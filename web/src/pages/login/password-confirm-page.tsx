import { Anchor, Button, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { api } from '../../app/api';
import { explain } from '../../app/problems';
import { SignedOutPage } from '../../components/signed-out-page';
import { ErrorPanel } from '../../components/error-panel';
import { submitting } from '../../components/submitting';
import { tooLong } from '../../components/too-long';

/** Sets a new password with the token from the emailed link. */
export function Component(): ReactNode {
  const [query] = useSearchParams();
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const save = useMutation({
    mutationFn: async () => {
      const link = { uid: query.get('uid') ?? '', token: query.get('token') ?? '' };
      const body = { ...link, new_password1: first, new_password2: second };
      return unwrap(await api.POST('/api/auth/password/reset/confirm', { body }));
    },
  });
  const problem = save.error === null ? null : explain(save.error);
  const isExpired = problem?.fields['token'] !== undefined || problem?.fields['uid'] !== undefined;
  return (
    <SignedOutPage title="Set a new password">
      <Title order={1} mb="lg">
        Set a new password
      </Title>
      {save.isSuccess ? (
        <Text role="status">
          Your password has been changed.{' '}
          <Anchor component={Link} to="/login">
            Log in
          </Anchor>
        </Text>
      ) : (
        <form onSubmit={submitting(save)}>
          <Stack>
            <PasswordInput
              label="New password"
              required
              autoComplete="new-password"
              minLength={8}
              value={first}
              error={problem?.fields['new_password1'] ?? tooLong(first, 256)}
              onChange={(event) => setFirst(event.currentTarget.value)}
            />
            <PasswordInput
              label="Confirm new password"
              required
              autoComplete="new-password"
              value={second}
              error={problem?.fields['new_password2']}
              onChange={(event) => setSecond(event.currentTarget.value)}
            />
            {save.error !== null && (
              <ErrorPanel
                error={isExpired ? new Error('This link has been used or has expired. Request a new one.') : save.error}
              />
            )}
            <Button type="submit" loading={save.isPending}>
              Set password
            </Button>
          </Stack>
        </form>
      )}
    </SignedOutPage>
  );
}
