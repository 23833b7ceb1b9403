import { Anchor, Button, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';
import { api } from '../../app/api';
import { EntrancePage } from '../../components/entrance-page';
import { ErrorPanel } from '../../components/error-panel';
import { submitting } from '../../components/submitting';

/** Confirms an e-mail address. A button asks for it: programs that look at links in e-mails must not confirm anything. */
export function Component(): ReactNode {
  const [query] = useSearchParams();
  const confirm = useMutation({
    mutationFn: async () => {
      const params = { path: { key: query.get('key') ?? '' } };
      return unwrap(await api.GET('/api/auth/account-confirm-email/{key}/', { params }));
    },
  });
  return (
    <EntrancePage title="Confirm your e-mail address">
      <Title order={1} mb="lg">
        Confirm your e-mail address
      </Title>
      {confirm.isSuccess ? (
        <Text role="status">
          Your e-mail address is confirmed.{' '}
          <Anchor component={Link} to="/login">
            Log in
          </Anchor>
        </Text>
      ) : (
        <form onSubmit={submitting(confirm)}>
          <Stack>
            <Text size="sm">Did you create the account? Then confirm that this e-mail address is yours.</Text>
            {confirm.error !== null && (
              <ErrorPanel error={new Error('This link is wrong or older than three days. Log in to get a new one.')} />
            )}
            <Button type="submit" loading={confirm.isPending}>
              Confirm
            </Button>
          </Stack>
        </form>
      )}
    </EntrancePage>
  );
}
