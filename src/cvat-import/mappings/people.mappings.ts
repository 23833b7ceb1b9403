import type { Mapping } from '../mapping.js';

const group: Mapping = {
  model: 'auth.group',
  map(record, { people }) {
    record.ignore('permissions');
    people.addGroup(record.id, record.text('name'));
    return [];
  },
};

const user: Mapping = {
  model: 'auth.user',
  stage: 'app_user',
  map(record, { people }) {
    const { id } = record;
    const username = record.text('username');
    const email = record.text('email', '');
    record.ignore('user_permissions');
    people.addUser(username, id, email);
    return [
      {
        id,
        username,
        first_name: record.text('first_name', ''),
        last_name: record.text('last_name', ''),
        email,
        password: record.text('password'),
        groups: people.groupNames(record, 'groups'),
        is_staff: record.boolean('is_staff'),
        is_superuser: record.boolean('is_superuser'),
        is_active: record.boolean('is_active'),
        last_login: record.dateOrNull('last_login'),
        date_joined: record.date('date_joined'),
      },
    ];
  },
};

const profile: Mapping = {
  model: 'engine.profile',
  stage: 'profile',
  map(record, { people }) {
    record.ignore('rating', 'last_activity_date');
    return [
      {
        id: record.id,
        user_id: people.userId(record, 'user'),
        has_analytics_access: record.boolean('has_analytics_access', false),
      },
    ];
  },
};

const emailAddress: Mapping = {
  model: 'account.emailaddress',
  stage: 'email_address',
  map(record, { people }) {
    record.ignore('primary');
    const userId = people.userId(record, 'user');
    const verified = record.boolean('verified', false);
    const same = people.emailOf(userId)?.toLowerCase() === record.text('email').toLowerCase();
    return same
      ? [{ id: record.id, user_id: userId, verified }]
      : { reason: 'an account has one address here, its own' };
  },
};

export const peopleMappings: readonly Mapping[] = [group, user, profile, emailAddress];
