import { Button, Divider, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api } from '../app/api';
import { LoginForm } from './login-form';
import { PageLoader } from './page-loader';

const PASSWORD_ONLY = { password: true, password_reset: true, registration: 'open', single_sign_on: null } as const;

/** The ways to log in to this server. Undefined while they are loading. */
export function useLoginMethods() {
  const { data, isPending } = useQuery({
    queryKey: ['login-methods'],
    queryFn: async () => unwrap(await api.GET('/api/auth/methods')),
    staleTime: Infinity,
    retry: false,
  });
  // If they cannot be read, the form reports that the server is unavailable.
  return isPending ? undefined : (data ?? PASSWORD_ONLY);
}

interface LoginMethodsProps {
  readonly username?: string;
  readonly onLoggedIn: () => void;
  /** Path of the page to show after a login at the identity provider. */
  readonly next: string;
  /** Opens the identity provider in a new tab, so that the page and its input stay. */
  readonly isInNewTab?: boolean;
}

/** The button for the identity provider and the form for passwords, as far as the server offers them. */
export function LoginMethods({ username = '', onLoggedIn, next, isInNewTab = false }: LoginMethodsProps): ReactNode {
  const methods = useLoginMethods();
  if (methods === undefined) return <PageLoader />;
  const { password, single_sign_on: provider } = methods;
  return (
    <Stack>
      {provider !== null && (
        <Button
          component="a"
          href={`${provider.url}?${new URLSearchParams({ next }).toString()}`}
          variant={password ? 'default' : 'filled'}
          {...(isInNewTab ? { target: '_blank' } : {})}
        >
          {`Log in with ${provider.name}`}
        </Button>
      )}
      {provider !== null && password && <Divider label="or" labelPosition="center" />}
      {password && <LoginForm username={username} onLoggedIn={onLoggedIn} />}
    </Stack>
  );
}
