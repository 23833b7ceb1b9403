import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type CairnError, unwrap } from 'cairn-client';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../app/api';
import { ErrorPanel } from './error-panel';
import { submitting } from './submitting';

interface LoginFormProps {
  /** Initial value. */
  readonly username?: string;
  readonly onLoggedIn: () => void;
}

/** Fields for username or email address, and password. */
export function LoginForm({ username = '', onLoggedIn }: LoginFormProps): ReactNode {
  const [name, setName] = useState(username);
  const [password, setPassword] = useState('');
  const login = useMutation({
    mutationFn: async () => {
      const who = name.includes('@') ? { email: name.trim() } : { username: name.trim() };
      return unwrap(await api.POST('/api/auth/login', { body: { ...who, password } }));
    },
    onSuccess: onLoggedIn,
  });
  return (
    <form onSubmit={submitting(login)}>
      <Stack>
        {login.error !== null && <ErrorPanel error={login.error} title={titleOf(login.error)} />}
        <TextInput
          label="Username or email"
          name="username"
          autoComplete="username"
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus={username === '' || undefined}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          data-autofocus={username !== '' || undefined}
        />
        <Button type="submit" loading={login.isPending}>
          Log in
        </Button>
      </Stack>
    </form>
  );
}

/** The server does not say which of them is wrong. */
const titleOf = ({ status, body }: Partial<CairnError>): string | undefined =>
  status === 400 && typeof body === 'object' && body !== null && 'non_field_errors' in body
    ? 'Wrong username or password'
    : undefined;
