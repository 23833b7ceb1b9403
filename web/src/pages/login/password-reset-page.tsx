import { Anchor, Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { api } from '../../app/api';
import { EntrancePage } from '../../components/entrance-page';
import { ErrorPanel } from '../../components/error-panel';
import { submitting } from '../../components/submitting';

/** Asks for the link by which a new password is set. */
export function Component(): ReactNode {
  const [email, setEmail] = useState('');
  const ask = useMutation({
    mutationFn: async () => unwrap(await api.POST('/api/auth/password/reset', { body: { email: email.trim() } })),
  });
  return (
    <EntrancePage title="Set a new password">
      <Title order={1} mb="lg">
        Set a new password
      </Title>
      {ask.isSuccess ? (
        <Text role="status">
          If there is an account with this address, a letter with a link is on its way. Where no mail server is set up,
          the administrator finds the link in the log.
        </Text>
      ) : (
        <form onSubmit={submitting(ask)}>
          <Stack>
            <TextInput
              label="E-mail address of your account"
              type="email"
              required
              autoComplete="email"
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            {ask.error !== null && <ErrorPanel error={ask.error} />}
            <Button type="submit" loading={ask.isPending}>
              Send the link
            </Button>
          </Stack>
        </form>
      )}
      <Text size="sm" mt="lg">
        <Anchor component={Link} to="/login">
          Back to the log-in
        </Anchor>
      </Text>
    </EntrancePage>
  );
}
