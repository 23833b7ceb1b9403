import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Crumbs } from '../../components/crumbs';
import { Page } from '../../components/page';
import { PermittedPage, useMayCreateStorage } from '../../components/rights';
import { createStorage } from './save-storage';
import { StorageForm } from './storage-form';
import { EMPTY_STORAGE } from './storage-values';

const CRUMB = { to: '/cloudstorages', title: 'Cloud storages' };

export const Component = (): ReactNode => (
  <PermittedPage
    isPermitted={useMayCreateStorage()}
    title="New cloud storage"
    crumb={CRUMB}
    who="In an organization, maintainers and the owner can connect buckets."
  >
    <NewCloudStorage />
  </PermittedPage>
);

function NewCloudStorage(): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = async (body: Record<string, unknown>, keyFile: File | null): Promise<void> => {
    const { id } = await createStorage(body, keyFile);
    await client.invalidateQueries({ queryKey: ['cloudstorages'] });
    await navigate(`/cloudstorages/${id}`);
  };
  return (
    <Page title="New cloud storage" narrow above={<Crumbs crumbs={[CRUMB]} />}>
      <StorageForm of="new cloud storage" present={EMPTY_STORAGE} isNew action="Create cloud storage" onSave={create} />
    </Page>
  );
}
