import { Select, Stack, Tabs, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { api, type CloudStorage } from '../../app/api';
import { ActionsMenu } from '../../components/actions-menu';
import { Confirm } from '../../components/confirm';
import { Crumbs } from '../../components/crumbs';
import { CloudFiles } from '../../components/file-browser';
import { InItsOrganization } from '../../components/in-its-organization';
import { Loaded } from '../../components/loaded';
import { showSuccess } from '../../components/notify';
import { Page } from '../../components/page';
import { PageTabs } from '../../components/page-tabs';
import { displayName } from '../../components/person';
import { useStorageRights } from '../../components/rights';
import type { Tagged } from '../../components/tagged';
import { TimeAgo } from '../../components/time-ago';
import { changeStorage } from './save-storage';
import { StorageForm } from './storage-form';
import { StorageStatus, statusKey } from './storage-status';
import { providerLabel, toValues } from './storage-values';

async function readStorage(id: number, signal: AbortSignal): Promise<Tagged<CloudStorage>> {
  const answer = await api.GET('/api/cloudstorages/{id}', { params: { path: { id } }, signal });
  return { value: unwrap(answer), etag: answer.response.headers.get('ETag') ?? '' };
}

export function Component(): ReactNode {
  const id = Number(useParams()['storageId']);
  const query = useQuery({ queryKey: ['cloudstorage', id], queryFn: ({ signal }) => readStorage(id, signal) });
  return (
    <Loaded query={query} pageTitle="Cloud storage">
      {(storage) => (
        <InItsOrganization key={id} id={storage.value.organization}>
          <StorageView storage={storage} />
        </InItsOrganization>
      )}
    </Loaded>
  );
}

function StorageView({ storage: { value: storage, etag } }: { readonly storage: Tagged<CloudStorage> }): ReactNode {
  const { id, display_name: name } = storage;
  const client = useQueryClient();
  const navigate = useNavigate();
  const rights = useStorageRights(storage);
  const [isDeleting, setDeleting] = useState(false);
  const save = async (body: Record<string, unknown>, keyFile: File | null): Promise<void> => {
    await changeStorage(id, etag, body, keyFile);
    const changed = [['cloudstorages'], ['cloudstorage', id], statusKey(id), ['folder', 'cloudstorage', id]];
    await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
    showSuccess('Cloud storage saved.');
  };
  const remove = async (): Promise<void> => {
    unwrap(await api.DELETE('/api/cloudstorages/{id}', { params: { path: { id } } }));
    await navigate('/cloudstorages');
    client.removeQueries({ queryKey: ['cloudstorage', id] });
    await client.invalidateQueries({ queryKey: ['cloudstorages'] });
  };
  return (
    <Page
      title={name}
      above={<Crumbs crumbs={[{ to: '/cloudstorages', title: 'Cloud storages' }]} />}
      subtitle={<Subtitle storage={storage} />}
      actions={
        rights?.delete === true && (
          <ActionsMenu
            wide
            of={name}
            actions={[{ title: 'Delete', icon: 'trash', isDangerous: true, onClick: () => setDeleting(true) }]}
          />
        )
      }
    >
      <PageTabs titles={{ content: 'Content', ...(rights?.change === true ? { settings: 'Settings' } : {}) }}>
        <Tabs.Panel value="content">
          <Content storage={storage} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <div style={{ maxWidth: 720 }}>
            <StorageForm
              key={etag}
              of={`cloud storage ${id}`}
              present={toValues(storage)}
              isNew={false}
              action="Save"
              onSave={save}
            />
          </div>
        </Tabs.Panel>
      </PageTabs>
      <Confirm
        opened={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete ${name}?`}
        text="The bucket and its files stay as they are. Tasks that read their images from it can no longer show them. This cannot be undone."
        action="Delete cloud storage"
        onConfirm={remove}
      />
    </Page>
  );
}

const BUCKET = '';

/** Files in the bucket, or the files that a manifest lists. */
function Content({ storage: { id, description, manifests } }: { readonly storage: CloudStorage }): ReactNode {
  const [manifest, setManifest] = useState(BUCKET);
  return (
    <Stack>
      {description !== '' && <Text size="sm">{description}</Text>}
      <div className="panel panel--padded">
        <Stack>
          {manifests.length > 0 && (
            <Select
              label="Show"
              w={320}
              maw="100%"
              allowDeselect={false}
              data={[{ value: BUCKET, label: 'All files' }, ...manifests.map((each) => ({ value: each, label: each }))]}
              value={manifest}
              onChange={(value) => setManifest(value ?? BUCKET)}
            />
          )}
          <CloudFiles storageId={id} {...(manifest === BUCKET ? {} : { manifest })} />
        </Stack>
      </div>
    </Stack>
  );
}

function Subtitle({ storage }: { readonly storage: CloudStorage }): ReactNode {
  const { id, owner, provider_type: provider, resource, updated_date: date } = storage;
  return (
    <Text span size="sm">
      <StorageStatus id={id} /> {providerLabel(provider)} · {resource} ·{' '}
      {owner === null ? 'no owner' : `by ${displayName(owner)}`} · updated <TimeAgo date={date} />
    </Text>
  );
}
