import { Anchor, Button, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CairnError, unwrap } from 'cairn-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { api } from '../../app/api';
import { explain } from '../../app/problems';
import { forgetSelf } from '../../app/session';
import { EntrancePage } from '../../components/entrance-page';
import { ErrorPanel } from '../../components/error-panel';
import { showProblem } from '../../components/notify';
import { submitting } from '../../components/submitting';
import { tooLong } from '../../components/too-long';

const NOTHING = { username: '', email: '', first_name: '', last_name: '', password1: '', password2: '' };

/** Makes an account; with the link of an invitation, its address is filled in and the invitation accepted. */
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
      const answer = await api.POST('/api/invitations/{key}/accept', { params: { path: { key: invitation } } });
      // the account is made: what became of the invitation is no reason to ask for it again
      if (!answer.response.ok) showProblem(new CairnError(answer.response, answer.error));
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
    <EntrancePage title="Make an account">
      <Title order={1} mb="lg">
        Make an account
      </Title>
      <form onSubmit={submitting(register)}>
        <Stack>
          {invitation !== null && (
            <Text size="sm">
              You were invited to an organization. Somebody who has an account already{' '}
              <Anchor
                component={Link}
                to={`/login?${new URLSearchParams({ next: `/organizations?invitation=${invitation}` }).toString()}`}
              >
                logs in
              </Anchor>
              .
            </Text>
          )}
          <TextInput
            label="User name"
            description="At least 5 characters."
            required
            autoComplete="username"
            minLength={5}
            {...field('username', 150)}
          />
          <TextInput label="E-mail address" type="email" required autoComplete="email" {...field('email', 254)} />
          <Group grow>
            <TextInput label="First name" autoComplete="given-name" {...field('first_name', 150)} />
            <TextInput label="Last name" autoComplete="family-name" {...field('last_name', 150)} />
          </Group>
          <PasswordInput
            label="Password"
            description="At least 8 characters, not only digits."
            required
            autoComplete="new-password"
            minLength={8}
            {...field('password1', 256)}
          />
          <PasswordInput label="Password again" required autoComplete="new-password" {...field('password2', 256)} />
          {register.error !== null && <ErrorPanel error={register.error} />}
          <Button type="submit" loading={register.isPending}>
            Make the account
          </Button>
        </Stack>
      </form>
      <Text size="sm" mt="lg">
        You have one?{' '}
        <Anchor component={Link} to="/login">
          Log in
        </Anchor>
        .
      </Text>
    </EntrancePage>
  );
}

/** The account is there, and a link was sent that lets its owner in. */
function CheckMail({ email }: { readonly email: string }): ReactNode {
  return (
    <EntrancePage title="Confirm your e-mail address">
      <Title order={1} mb="lg">
        Confirm your e-mail address
      </Title>
      <Text role="status">
        Your account is created. Open the link in the e-mail to {email}, then{' '}
        <Anchor component={Link} to="/login">
          log in
        </Anchor>
        . Where no mail server is set up, the administrator finds the link in the log.
      </Text>
    </EntrancePage>
  );
}
