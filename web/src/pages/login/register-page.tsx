import { Anchor, Button, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CairnError, unwrap } from 'cairn-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { api } from '../../app/api';
import { explain } from '../../app/problems';
import { forgetSelf } from '../../app/session';
import { SignedOutPage } from '../../components/signed-out-page';
import { ErrorPanel } from '../../components/error-panel';
import { showProblem } from '../../components/notify';
import { submitting } from '../../components/submitting';
import { tooLong } from '../../components/too-long';

const NOTHING = { username: '', email: '', first_name: '', last_name: '', password1: '', password2: '' };

/** Creates an account. With the link of an invitation, the email is filled in and the invitation accepted. */
export function Component(): ReactNode {
  const [query] = useSearchParams();
  const invitation = query.get('key');
  const [values, setValues] = useState({ ...NOTHING, email: query.get('email') ?? '' });
  const client = useQueryClient();
  const navigate = useNavigate();
  const register = useMutation({
    mutationFn: async () => {
      const body = { ...values, username: values.username.trim(), invitation_key: invitation };
      const { email_verification_required: isUnverified } = unwrap(await api.POST('/api/auth/register', { body }));
      if (isUnverified || invitation === null) return { isUnverified };
      const response = await api.POST('/api/invitations/{key}/accept', { params: { path: { key: invitation } } });
      // the account exists now, so an error of the invitation must not offer the form again
      if (!response.response.ok) showProblem(new CairnError(response.response, response.error));
      return { isUnverified };
    },
    onSuccess: async ({ isUnverified }) => {
      if (isUnverified) return;
      forgetSelf(client);
      await navigate(invitation === null ? '/' : '/organizations', { replace: true });
    },
  });
  const fields = register.error === null ? {} : explain(register.error).fields;
  const field = (name: keyof typeof NOTHING, limit: number): object => ({
    name,
    value: values[name],
    error: fields[name] ?? tooLong(values[name], limit),
    onChange: (event: FormEvent<HTMLInputElement>) => {
      const { value } = event.currentTarget;
      setValues((before) => ({ ...before, [name]: value }));
    },
  });
  if (register.data?.isUnverified === true) return <CheckMail email={values.email} />;
  return (
    <SignedOutPage title="Create an account">
      <Title order={1} mb="lg">
        Create an account
      </Title>
      <form onSubmit={submitting(register)}>
        <Stack>
          {invitation !== null && (
            <Text size="sm">
              You were invited to an organization. If you already have an account,{' '}
              <Anchor
                component={Link}
                to={`/login?${new URLSearchParams({ next: `/organizations?invitation=${invitation}` }).toString()}`}
              >
                log in to accept it
              </Anchor>
              .
            </Text>
          )}
          <TextInput
            label="Username"
            description="At least 5 characters."
            required
            autoComplete="username"
            minLength={5}
            {...field('username', 150)}
          />
          <TextInput label="Email" type="email" required autoComplete="email" {...field('email', 254)} />
          <Group grow>
            <TextInput label="First name" autoComplete="given-name" {...field('first_name', 150)} />
            <TextInput label="Last name" autoComplete="family-name" {...field('last_name', 150)} />
          </Group>
          <PasswordInput
            label="Password"
            description="At least 8 characters, and not only digits."
            required
            autoComplete="new-password"
            minLength={8}
            {...field('password1', 256)}
          />
          <PasswordInput label="Confirm password" required autoComplete="new-password" {...field('password2', 256)} />
          {register.error !== null && <ErrorPanel error={register.error} />}
          <Button type="submit" loading={register.isPending}>
            Create account
          </Button>
        </Stack>
      </form>
      <Text size="sm" mt="lg">
        Already have an account?{' '}
        <Anchor component={Link} to="/login">
          Log in
        </Anchor>
        .
      </Text>
    </SignedOutPage>
  );
}

/** Shown if the user must confirm the email address before logging in. */
function CheckMail({ email }: { readonly email: string }): ReactNode {
  return (
    <SignedOutPage title="Confirm your email address">
      <Title order={1} mb="lg">
        Confirm your email address
      </Title>
      <Text role="status">
        Your account has been created. Open the link in the email to {email}, then{' '}
        <Anchor component={Link} to="/login">
          log in
        </Anchor>
        . If the server cannot send email, ask an administrator for the link, which is in the log of the server.
      </Text>
    </SignedOutPage>
  );
}
