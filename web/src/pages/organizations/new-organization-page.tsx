import { useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../../app/api';
import { currentOrganization } from '../../app/current-organization';
import { ORGANIZATIONS } from '../../app/organization-menu';
import { Crumbs } from '../../components/crumbs';
import { Page } from '../../components/page';
import { PermittedPage, useMayCreateOrganization } from '../../components/rights';
import { OrganizationForm, type OrganizationValues } from './organization-form';

const CRUMB = { to: '/organizations', title: 'Organizations' };

export const Component = (): ReactNode => (
  <PermittedPage
    isPermitted={useMayCreateOrganization()}
    title="New organization"
    crumb={CRUMB}
    who="Your account is for annotating only. Ask an administrator to create the organization."
  >
    <NewOrganization />
  </PermittedPage>
);

function NewOrganization(): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = async ({ name, ...values }: OrganizationValues): Promise<void> => {
    const body = { ...values, ...(name.trim() === '' ? {} : { name: name.trim() }) };
    const organization = unwrap(await api.POST('/api/organizations', { body }));
    currentOrganization.set(organization.slug);
    await client.invalidateQueries({ queryKey: ORGANIZATIONS });
    await navigate(`/organizations/${organization.id}`);
  };
  return (
    <Page title="New organization" narrow above={<Crumbs crumbs={[CRUMB]} />}>
      <OrganizationForm of="new organization" action="Create organization" onSave={create} />
    </Page>
  );
}
