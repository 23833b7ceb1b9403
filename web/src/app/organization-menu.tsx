import { Button, Menu, Text } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import { Icon } from '../components/icons';
import { readAll } from './api';
import { currentOrganization } from './current-organization';
import { useOrganizationSlug } from './organization';
import { SELF } from './session';

export const ORGANIZATIONS = ['organizations'] as const;

export const ORGANIZATIONS_QUERY = queryOptions({
  queryKey: ORGANIZATIONS,
  queryFn: () => readAll('/api/organizations', { query: { sort: 'name' } }),
  staleTime: 60_000,
});

/** Organizations of the user. */
export const useOrganizations = () => useQuery(ORGANIZATIONS_QUERY);

/** Selects another organization and drops cached data of the previous one. @param page to show then */
export function useSwitchOrganization(page = '/projects'): (slug: string) => void {
  const client = useQueryClient();
  const navigate = useNavigate();
  return (slug) => {
    currentOrganization.set(slug);
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SELF[0] && queryKey[0] !== ORGANIZATIONS[0] });
    void navigate(page);
  };
}

/** Shows the selected organization and switches to another one. */
export function OrganizationMenu(): ReactNode {
  const slug = useOrganizationSlug();
  const { data = [] } = useOrganizations();
  const switchTo = useSwitchOrganization();
  const present = data.find((organization) => organization.slug === slug);
  const name = slug === '' ? 'Personal space' : (present?.name ?? '') || slug;
  return (
    <Menu position="bottom-end" width={270}>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          h={34}
          maw={220}
          aria-label={`Organization: ${name}`}
          leftSection={<Icon name={slug === '' ? 'user' : 'organization'} size={16} />}
          rightSection={<Icon name="chevronDown" size={14} />}
        >
          <Text span inherit truncate lh={1.45}>
            {name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={400} style={{ overflowY: 'auto' }}>
        <Menu.Label>Switch organization</Menu.Label>
        {[{ slug: '', name: 'Personal space' }, ...data].map((each) => (
          <Menu.Item
            key={each.slug}
            onClick={() => switchTo(each.slug)}
            rightSection={each.slug === slug ? <Icon name="check" size={16} /> : null}
          >
            {each.name || each.slug}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} to="/organizations" leftSection={<Icon name="organization" size={16} />}>
          Organizations and invitations
        </Menu.Item>
        <Menu.Item component={Link} to="/organizations/new" leftSection={<Icon name="plus" size={16} />}>
          New organization
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
