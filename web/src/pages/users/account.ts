import { unwrap } from 'cairn-client';
import { api, type User } from '../../app/api';

/** What a user may do on the server, as one choice. */
export const ROLES = [
  { value: 'admin', label: 'Administrator', description: 'can do everything' },
  { value: 'user', label: 'User', description: 'creates projects, tasks and organizations' },
  { value: 'worker', label: 'Worker', description: 'works on what others assign' },
  { value: 'none', label: 'None', description: 'only sees what others share' },
] as const;
export type Role = (typeof ROLES)[number]['value'];

export const ROLE_CHOICES = ROLES.map(({ value, label, description }) => ({
  value,
  label: `${label}: ${description}`,
}));

/** @returns the role with the most permissions */
export const roleOf = ({ groups = [] }: User): Role =>
  ROLES.find(({ value }) => groups.includes(value as never))?.value ?? 'none';

export const roleLabel = (role: Role): string => ROLES.find(({ value }) => value === role)?.label ?? '';

/** The fields of a user that has the role. */
export const fieldsOfRole = (role: Role) => ({
  groups: role === 'none' ? [] : [role],
  is_staff: role === 'admin',
  is_superuser: role === 'admin',
});

type Changes = ReturnType<typeof fieldsOfRole> & {
  username: string;
  email: string;
  first_name: string;
  last_name: string;
  is_active: boolean;
};

export const updateUser = async (id: number, body: Partial<Changes>): Promise<User> =>
  unwrap(await api.PATCH('/api/users/{id}', { params: { path: { id } }, body }));
