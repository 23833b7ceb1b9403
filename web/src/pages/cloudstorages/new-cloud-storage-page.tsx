import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Crumbs } from '../../components/crumbs';
import { Page } from '../../components/page';
import { createStorage } from './save-storage';
import { StorageForm } from './storage-form';
import { EMPTY_STORAGE } from './storage-values';

export function Component(): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = async (body: Record<string, unknown>, keyFile: File | null): Promise<void> => {
    const { id } = await createStorage(body, keyFile);
    await client.invalidateQueries({ queryKey: ['cloudstorages'] });
    await navigate(`/cloudstorages/${id}`);
  };
  return (
    <Page
      title="New cloud storage"
      narrow
      above={<Crumbs crumbs={[{ to: '/cloudstorages', title: 'Cloud storages' }]} />}
    >
      <StorageForm of="new cloud storage" present={EMPTY_STORAGE} isNew action="Create cloud storage" onSave={create} />
    </Page>
  );
}
