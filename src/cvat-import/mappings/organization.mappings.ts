import type { Mapping } from '../mapping.js';

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
      key: String(record.pk),
      owner_id: people.userIdOrNull(record, 'owner'),
      membership_id: record.integer('membership'),
      created_date: record.date('created_date'),
      sent_date: record.dateOrNull('sent_date'),
    },
  ],
};

export const organizationMappings: readonly Mapping[] = [organization, membership, invitation];
