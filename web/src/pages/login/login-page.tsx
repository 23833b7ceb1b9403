import { Anchor, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { SignedOutPage } from '../../components/signed-out-page';
import { LoginForm } from '../../components/login-form';
import { forgetSelf } from '../../app/session';

export function Component(): ReactNode {
  const [query] = useSearchParams();
  const client = useQueryClient();
  const navigate = useNavigate();
  const enter = async (): Promise<void> => {
    forgetSelf(client);
    await navigate(safePath(query.get('next')), { replace: true });
  };
  return (
    <SignedOutPage title="Log in">
      <Title order={1} mb="lg">
        Log in
      </Title>
      <LoginForm onLoggedIn={() => void enter()} />
      <Text size="sm" mt="lg">
        No account yet?{' '}
        <Anchor component={Link} to="/register">
          Create one
        </Anchor>
        . Forgot your password?{' '}
        <Anchor component={Link} to="/auth/password/reset">
          Reset it
        </Anchor>
        .
      </Text>
    </SignedOutPage>
  );
}

/** Allows only paths of this app, so that a link cannot redirect to another site. */
const safePath = (next: string | null): string => (next !== null && /^\/(?![/\\])/.test(next) ? next : '/');
