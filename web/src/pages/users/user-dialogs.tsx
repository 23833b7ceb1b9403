import { Checkbox, Group, Modal, PasswordInput, Radio, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api, type PasswordLink, type User } from '../../app/api';
import { explain } from '../../app/problems';
import { SELF } from '../../app/session';
import { CopyOnce } from '../../components/copy-field';
import { FormDialog } from '../../components/form-dialog';
import { showSuccess } from '../../components/notify';
import { formatDate } from '../../components/time-ago';
import { tooLong } from '../../components/too-long';
import { fieldsOfRole, type Role, ROLE_CHOICES, roleOf, updateUser } from './account';

interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

interface Values {
  readonly username: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly role: Role;
}

const NOBODY: Values = { username: '', email: '', first_name: '', last_name: '', role: 'user' };

/** Creates an account with a password or with a link to set one. */
export function NewUserDialog({ opened, onClose }: DialogProps): ReactNode {
  const [values, setValues] = useState(NOBODY);
  const [password, setPassword] = useState('');
  const [how, setHow] = useState('link');
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: async () => {
      const { role, ...person } = values;
      const body = { ...person, groups: fieldsOfRole(role).groups, password: how === 'link' ? null : password };
      return unwrap(await api.POST('/api/users', { body }));
    },
    onSuccess: async ({ username, password_link: link }) => {
      await client.invalidateQueries({ queryKey: ['users'] });
      if (link === null) showSuccess(`Created ${username}.`);
      if (link === null) close();
    },
  });
  const close = (): void => {
    setValues(NOBODY);
    setPassword('');
    create.reset();
    onClose();
  };
  const link = create.data?.password_link ?? null;
  if (link !== null)
    return (
      <Modal opened={opened} onClose={close} title={`Created ${create.data?.username ?? ''}`} centered>
        <LinkResult link={link} onDone={close} />
      </Modal>
    );
  const fields = create.error === null ? {} : explain(create.error).fields;
  return (
    <FormDialog opened={opened} onClose={close} title="New user" action="Create user" mutation={create}>
      <PersonFields values={values} onChange={setValues} errors={fields} />
      <Radio.Group label="Password" value={how} onChange={setHow}>
        <Stack gap="xs" mt={4}>
          <Radio value="link" label="The user sets it with a link" />
          <Radio value="password" label="Set it now" />
        </Stack>
      </Radio.Group>
      {how === 'link' ? (
        <Text size="sm" c="dimmed">
          The server sends the link by email. If it cannot, it shows the link for you to pass on.
        </Text>
      ) : (
        <PasswordInput
          label="Initial password"
          description="At least 8 characters, and not only digits."
          required
          autoComplete="new-password"
          value={password}
          error={fields['password']}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      )}
    </FormDialog>
  );
}

interface EditUserDialogProps extends DialogProps {
  readonly user: User;
  readonly isSelf: boolean;
}

/** Changes names, email address and role of a user. */
export function EditUserDialog({ opened, onClose, user, isSelf }: EditUserDialogProps): ReactNode {
  const [typed, setTyped] = useState<Values | null>(null);
  const values = typed ?? { ...user, email: user.email ?? '', role: roleOf(user) };
  const client = useQueryClient();
  const close = (): void => {
    setTyped(null);
    save.reset();
    onClose();
  };
  const save = useMutation({
    mutationFn: () => {
      const { username, email, first_name, last_name, role } = values;
      const person = { username: username.trim(), email: email.trim(), first_name, last_name };
      return updateUser(user.id, role === roleOf(user) ? person : { ...person, ...fieldsOfRole(role) });
    },
    onSuccess: async () => {
      await Promise.all([['users'], SELF].map((queryKey) => client.invalidateQueries({ queryKey })));
      showSuccess('Saved.');
      close();
    },
  });
  const fields = save.error === null ? {} : explain(save.error).fields;
  return (
    <FormDialog opened={opened} onClose={close} title={`Edit ${user.username}`} action="Save" mutation={save}>
      <PersonFields values={values} onChange={setTyped} errors={fields} hasFixedRole={isSelf} />
    </FormDialog>
  );
}

interface PersonFieldsProps {
  readonly values: Values;
  readonly onChange: (values: Values) => void;
  readonly errors: Readonly<Record<string, string>>;
  readonly hasFixedRole?: boolean;
}

function PersonFields({ values, onChange, errors, hasFixedRole = false }: PersonFieldsProps): ReactNode {
  const field = (name: Exclude<keyof Values, 'role'>, limit: number): object => ({
    value: values[name],
    error: errors[name] ?? tooLong(values[name], limit),
    autoComplete: 'off',
    onChange: (event: FormEvent<HTMLInputElement>) => onChange({ ...values, [name]: event.currentTarget.value }),
  });
  return (
    <>
      <TextInput label="Username" required data-autofocus {...field('username', 150)} />
      <TextInput label="Email" type="email" {...field('email', 254)} />
      <Group grow align="flex-start">
        <TextInput label="First name" {...field('first_name', 150)} />
        <TextInput label="Last name" {...field('last_name', 150)} />
      </Group>
      <Select
        label="Role"
        allowDeselect={false}
        disabled={hasFixedRole}
        {...(hasFixedRole ? { description: 'Another administrator can change your role.' } : {})}
        data={ROLE_CHOICES}
        value={values.role}
        error={errors['groups']}
        onChange={(role) => onChange({ ...values, role: role ?? 'user' })}
      />
    </>
  );
}

/** Makes the password of a user invalid, and gives them a link to set another one. */
export function ResetPasswordDialog({ opened, onClose, user }: DialogProps & { readonly user: User }): ReactNode {
  const [keepsTokens, setKeepsTokens] = useState(false);
  const reset = useMutation({
    mutationFn: async () => {
      const params = { path: { id: user.id } };
      const body = { keep_access_tokens: keepsTokens };
      return unwrap(await api.POST('/api/users/{id}/password_reset', { params, body }));
    },
  });
  const close = (): void => {
    reset.reset();
    onClose();
  };
  const title = `Reset the password of ${user.username}`;
  if (reset.data !== undefined)
    return (
      <Modal opened={opened} onClose={close} title={title} centered>
        <LinkResult link={reset.data} onDone={close} />
      </Modal>
    );
  return (
    <FormDialog opened={opened} onClose={close} title={title} action="Reset password" mutation={reset}>
      <Text size="sm">
        The password becomes invalid and all sessions of the user end. The user gets a link to set a new password.
      </Text>
      <Checkbox
        label="Keep the access tokens"
        description="Do not keep them if someone else may know the password."
        checked={keepsTokens}
        onChange={(event) => setKeepsTokens(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}

interface LinkResultProps {
  readonly link: PasswordLink;
  readonly onDone: () => void;
}

function LinkResult({ link: { link, sent_to: address, expiry_date: expiry }, onDone }: LinkResultProps): ReactNode {
  if (link === null) return <Text role="status">{`The link to set a password was sent to ${address ?? ''}.`}</Text>;
  return (
    <Stack>
      <Text size="sm">{`Send this link to the user. It can be used once, until ${formatDate(expiry)}.`}</Text>
      <CopyOnce title="Link to set a password" value={link} onDone={onDone} />
    </Stack>
  );
}
