import { isVerifiable } from '../../engines/password/encoded-password.js';
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
    const groups = people.groupNames(record, 'groups');
    people.addUser(username, id, email);
    return [
      {
        id,
        username,
        first_name: record.text('first_name', ''),
        last_name: record.text('last_name', ''),
        email,
        password: record.text('password'),
        groups,
        is_staff: record.boolean('is_staff', false),
        is_superuser: record.boolean('is_superuser', false),
        is_active: record.boolean('is_active', true),
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
    const same = people.emailOf(record, userId)?.toLowerCase() === record.text('email').toLowerCase();
    return same
      ? [{ id: record.id, user_id: userId, verified }]
      : { reason: 'an account has one address here, its own' };
  },
};

const accessToken: Mapping = {
  model: 'access_tokens.accesstoken',
  stage: 'access_token',
  map(record, { people }) {
    const row = {
      id: record.id,
      owner_id: people.userId(record, 'owner'),
      name: record.text('name'),
      read_only: record.boolean('read_only', true),
      prefix: record.text('prefix'),
      secret_hash: record.text('hashed_key'),
      expiry_date: record.dateOrNull('expiry_date'),
      last_used_date: record.dateOrNull('last_used_date'),
      created_date: record.date('created'),
      updated_date: record.date('updated_date'),
    };
    if (record.boolean('revoked', false)) return { reason: 'the token is revoked' };
    if (!isVerifiable(row.secret_hash)) record.remark('cannot be used: the algorithm of its hash is unknown');
    return [row];
  },
};

export const peopleMappings: readonly Mapping[] = [group, user, profile, emailAddress, accessToken];

const organization: Mapping = {
  model: 'organizations.organization',
  stage: 'organization',
  map: (record, { people }) => [
    {
      id: record.id,
      slug: record.text('slug'),
      name: record.text('name'),
      description: record.text('description', ''),
      contact: record.value('contact') ?? {},
      owner_id: people.userIdOrNull(record, 'owner'),
      created_date: record.date('created_date'),
      updated_date: record.date('updated_date'),
    },
  ],
};

const membership: Mapping = {
  model: 'organizations.membership',
  stage: 'membership',
  map(record, { people }) {
    const userId = people.userIdOrNull(record, 'user');
    if (userId === null) {
      record.ignore('organization', 'is_active', 'joined_date', 'role');
      return { reason: 'a membership without a person' };
    }
    return [
      {
        id: record.id,
        user_id: userId,
        organization_id: record.integer('organization'),
        is_active: record.boolean('is_active'),
        joined_date: record.dateOrNull('joined_date'),
        role: record.text('role'),
      },
    ];
  },
};

const invitation: Mapping = {
  model: 'organizations.invitation',
  stage: 'invitation',
  map: (record, { people }) => [
    {
      key: record.textId,
      owner_id: people.userIdOrNull(record, 'owner'),
      membership_id: record.integer('membership'),
      created_date: record.date('created_date'),
      sent_date: record.dateOrNull('sent_date'),
    },
  ],
};

export const organizationMappings: readonly Mapping[] = [organization, membership, invitation];
