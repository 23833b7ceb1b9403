import { Alert, Anchor, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { SignedOutPage } from '../../components/signed-out-page';
import { LoginMethods, useLoginMethods } from '../../components/login-methods';
import { forgetSelf } from '../../app/session';
import { signOnProblem } from './sign-on-problems';

export function Component(): ReactNode {
  const [query] = useSearchParams();
  const client = useQueryClient();
  const navigate = useNavigate();
  const next = safePath(query.get('next'));
  const problem = signOnProblem(query.get('problem'));
  const enter = async (): Promise<void> => {
    forgetSelf(client);
    await navigate(next, { replace: true });
  };
  return (
    <SignedOutPage title="Log in">
      <Title order={1} mb="lg">
        Log in
      </Title>
      {problem !== undefined && (
        <Alert color="red" mb="lg" role="alert" title="You are not logged in">
          {problem}
        </Alert>
      )}
      <LoginMethods next={next} onLoggedIn={() => void enter()} />
      <Help />
    </SignedOutPage>
  );
}

/** What people without a password can do, as far as the server allows it. */
function Help(): ReactNode {
  const methods = useLoginMethods();
  if (methods === undefined || !methods.password_reset) return null;
  return (
    <Text size="sm" mt="lg">
      {methods.registration === 'open' && (
        <>
          No account yet?{' '}
          <Anchor component={Link} to="/register">
            Create one
          </Anchor>
          .{' '}
        </>
      )}
      Forgot your password?{' '}
      <Anchor component={Link} to="/auth/password/reset">
        Reset it
      </Anchor>
      .
    </Text>
  );
}

/** Allows only paths of this app, so that a link cannot redirect to another site. */
const safePath = (next: string | null): string => (next !== null && /^\/(?![/\\])/.test(next) ? next : '/');
