import { Anchor, Button, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';
import { api } from '../../app/api';
import { SignedOutPage } from '../../components/signed-out-page';
import { ErrorPanel } from '../../components/error-panel';
import { submitting } from '../../components/submitting';

/** Confirms an email address. It requires a click, so that programs that scan links in emails do not confirm it. */
export function Component(): ReactNode {
  const [query] = useSearchParams();
  const confirm = useMutation({
    mutationFn: async () => {
      const params = { path: { key: query.get('key') ?? '' } };
      return unwrap(await api.GET('/api/auth/account-confirm-email/{key}/', { params }));
    },
  });
  return (
    <SignedOutPage title="Confirm your email address">
      <Title order={1} mb="lg">
        Confirm your email address
      </Title>
      {confirm.isSuccess ? (
        <Text role="status">
          Your email address has been confirmed.{' '}
          <Anchor component={Link} to="/login">
            Log in
          </Anchor>
        </Text>
      ) : (
        <form onSubmit={submitting(confirm)}>
          <Stack>
            <Text size="sm">If you created this account, confirm that the email address is yours.</Text>
            {confirm.error !== null && (
              <ErrorPanel error={new Error('This link is not valid or has expired. Log in to get a new one.')} />
            )}
            <Button type="submit" loading={confirm.isPending}>
              Confirm
            </Button>
          </Stack>
        </form>
      )}
    </SignedOutPage>
  );
}
