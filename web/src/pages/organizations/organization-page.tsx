import { Button, Tabs } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { api, type Organization } from '../../app/api';
import { currentOrganization } from '../../app/current-organization';
import { useOrganizationSlug } from '../../app/organization';
import { ORGANIZATIONS, useSwitchOrganization } from '../../app/organization-menu';
import { isAdministrator, useUser } from '../../app/session';
import { ActionsMenu, type MenuAction } from '../../components/actions-menu';
import { Confirm } from '../../components/confirm';
import { Crumbs } from '../../components/crumbs';
import { showSuccess } from '../../components/notify';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { PageTabs } from '../../components/page-tabs';
import { displayName } from '../../components/person';
import { Invitations } from './invitations';
import { Members, useMembers } from './members';
import { OrganizationForm, type OrganizationValues } from './organization-form';
import { TransferDialog } from './transfer-dialog';

export function Component(): ReactNode {
  const id = Number(useParams()['organizationId']);
  const query = useQuery({
    queryKey: ['organization', id],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET('/api/organizations/{id}', { params: { path: { id } }, signal })),
  });
  return (
    <Loaded query={query} pageTitle="Organization">
      {(organization) => <OrganizationView organization={organization} />}
    </Loaded>
  );
}

function OrganizationView({ organization }: { readonly organization: Organization }): ReactNode {
  const user = useUser();
  const client = useQueryClient();
  const navigate = useNavigate();
  const slug = useOrganizationSlug();
  const switchTo = useSwitchOrganization();
  const members = useMembers(organization);
  const [dialog, setDialog] = useState<'leave' | 'delete' | 'transfer' | null>(null);
  const own = members.data?.find((member) => member.user.id === user.id);
  const isOwner = organization.owner?.id === user.id || isAdministrator(user);
  const isStaff = isOwner || own?.role === 'maintainer';
  const path = { id: organization.id };

  const forget = async (): Promise<void> => {
    if (slug === organization.slug) currentOrganization.set('');
    await client.invalidateQueries({ queryKey: ORGANIZATIONS });
    await navigate('/organizations');
  };
  const save = async (body: OrganizationValues): Promise<void> => {
    const changed = unwrap(await api.PATCH('/api/organizations/{id}', { params: { path }, body }));
    if (slug === organization.slug) currentOrganization.set(changed.slug);
    await Promise.all([ORGANIZATIONS, ['organization']].map((queryKey) => client.invalidateQueries({ queryKey })));
    showSuccess('Saved.');
  };
  const remove = async (): Promise<void> => {
    unwrap(await api.DELETE('/api/organizations/{id}', { params: { path } }));
    await forget();
  };
  const leave = async (): Promise<void> => {
    if (own === undefined) return;
    unwrap(await api.DELETE('/api/memberships/{id}', { params: { path: { id: own.id } } }));
    await forget();
  };
  const actions: MenuAction[] = [
    ...(isOwner ? [{ title: 'Transfer ownership', icon: 'user' as const, onClick: () => setDialog('transfer') }] : []),
    ...(own !== undefined && own.role !== 'owner'
      ? [{ title: 'Leave', icon: 'logout' as const, onClick: () => setDialog('leave') }]
      : []),
    ...(isOwner
      ? [{ title: 'Delete', icon: 'trash' as const, isDangerous: true, onClick: () => setDialog('delete') }]
      : []),
  ];
  const name = organization.name || organization.slug;
  return (
    <Page
      title={name}
      above={<Crumbs crumbs={[{ to: '/organizations', title: 'Organizations' }]} />}
      subtitle={`${organization.slug}${organization.owner === null ? '' : ` · owned by ${displayName(organization.owner)}`}`}
      actions={
        <>
          {slug !== organization.slug && (
            <Button variant="default" onClick={() => switchTo(organization.slug)}>
              Switch to this organization
            </Button>
          )}
          {actions.length > 0 && <ActionsMenu wide of={name} actions={actions} />}
        </>
      }
    >
      <PageTabs
        titles={{ members: 'Members', invitations: 'Invitations', ...(isStaff ? { settings: 'Settings' } : {}) }}
      >
        <Tabs.Panel value="members">
          <Members organization={organization} query={members} isOwner={isOwner} isStaff={isStaff} />
        </Tabs.Panel>
        <Tabs.Panel value="invitations">
          <Invitations organization={organization} isOwner={isOwner} isStaff={isStaff} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <OrganizationForm of={`organization ${organization.id}`} present={organization} action="Save" onSave={save} />
        </Tabs.Panel>
      </PageTabs>
      <Confirm
        opened={dialog === 'leave'}
        onClose={() => setDialog(null)}
        title={`Leave ${name}?`}
        text="You will lose access to its projects and tasks until you are invited again."
        action="Leave"
        onConfirm={leave}
      />
      <Confirm
        opened={dialog === 'delete'}
        onClose={() => setDialog(null)}
        title={`Delete ${name}?`}
        text="Its members lose access. Projects and tasks stay with their owners. This cannot be undone."
        action="Delete organization"
        onConfirm={remove}
      />
      <TransferDialog
        organization={organization}
        members={members.data ?? []}
        opened={dialog === 'transfer'}
        onClose={() => setDialog(null)}
      />
    </Page>
  );
}
