import { Anchor, Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { api } from '../../app/api';
import { SignedOutPage } from '../../components/signed-out-page';
import { ErrorPanel } from '../../components/error-panel';
import { submitting } from '../../components/submitting';

/** Requests the link to set a new password. */
export function Component(): ReactNode {
  const [email, setEmail] = useState('');
  const request = useMutation({
    mutationFn: async () => unwrap(await api.POST('/api/auth/password/reset', { body: { email: email.trim() } })),
  });
  return (
    <SignedOutPage title="Reset your password">
      <Title order={1} mb="lg">
        Reset your password
      </Title>
      {request.isSuccess ? (
        <Text role="status">
          If an account has this email address, the server has sent a link to it. If the server cannot send email, ask
          an administrator for the link, which is in the log of the server.
        </Text>
      ) : (
        <form onSubmit={submitting(request)}>
          <Stack>
            <TextInput
              label="Email"
              type="email"
              required
              autoComplete="email"
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            {request.error !== null && <ErrorPanel error={request.error} />}
            <Button type="submit" loading={request.isPending}>
              Send link
            </Button>
          </Stack>
        </form>
      )}
      <Text size="sm" mt="lg">
        <Anchor component={Link} to="/login">
          Back to login
        </Anchor>
      </Text>
    </SignedOutPage>
  );
}
