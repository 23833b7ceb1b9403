import { Radio, Group, Select, Stack, Button } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { api } from '../../app/api';
import { useOrganizationSlug } from '../../app/organization';
import { explain } from '../../app/problems';
import { CopyOnce } from '../../components/copy-field';
import { Crumbs } from '../../components/crumbs';
import { Page } from '../../components/page';
import { NEW_WEBHOOK, WebhookForm, type WebhookValues } from './webhook-form';

type Made = { readonly id: number; readonly secret: string | null };

export function Component(): ReactNode {
  const [params] = useSearchParams();
  const slug = useOrganizationSlug();
  const client = useQueryClient();
  const [type, setType] = useState<'project' | 'organization'>('project');
  const [projectId, setProjectId] = useState<string | null>(params.get('project_id'));
  const [made, setMade] = useState<Made | null>(null);
  const create = useMutation({
    mutationFn: async (values: WebhookValues): Promise<Made> => {
      const { everything: _everything, secretChoice, secret, events, ...rest } = values;
      if (type === 'project' && projectId === null) throw new Error('Choose the project whose events are told.');
      const body = {
        ...rest,
        events: [...events],
        type,
        ...(type === 'project' ? { project_id: Number(projectId) } : {}),
        ...(secretChoice === 'own' ? { secret } : {}),
        ...(secretChoice === 'generate' ? { generate_secret: true } : {}),
      };
      const webhook = unwrap(await api.POST('/api/webhooks', { body: body as never }));
      return { id: webhook.id, secret: (webhook as { secret?: string }).secret ?? null };
    },
    onSuccess: async (webhook) => {
      await client.invalidateQueries({ queryKey: ['webhooks'] });
      setMade(webhook);
    },
  });
  const crumbs = <Crumbs crumbs={[{ to: '/webhooks', title: 'Webhooks' }]} />;
  if (made !== null) {
    return (
      <Page title="The webhook is made" narrow above={crumbs}>
        <Stack>
          {made.secret !== null && <CopyOnce title="Its secret" value={made.secret} />}
          <Button component={Link} to={`/webhooks/${made.id}`} w="fit-content">
            Go to the webhook
          </Button>
        </Stack>
      </Page>
    );
  }
  return (
    <Page title="New webhook" narrow above={crumbs}>
      <WebhookForm
        present={NEW_WEBHOOK}
        type={type}
        isNew
        action="Create the webhook"
        isBusy={create.isPending}
        error={create.error}
        problem={create.error === null ? null : explain(create.error)}
        onSubmit={(values) => create.mutate(values)}
      >
        {slug !== '' && (
          <Radio.Group label="Tells of" value={type} onChange={(value) => setType(value)}>
            <Group mt={4}>
              <Radio value="project" label="one project" />
              <Radio value="organization" label="the whole organization" />
            </Group>
          </Radio.Group>
        )}
        {type === 'project' && <ProjectField value={projectId} onChange={setProjectId} />}
      </WebhookForm>
    </Page>
  );
}

function ProjectField({
  value,
  onChange,
}: {
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
}): ReactNode {
  const [search, setSearch] = useState('');
  const { data = [] } = useQuery({
    queryKey: ['projects', 'search', search],
    queryFn: async ({ signal }) => {
      const query = { page_size: '50', ...(search === '' ? {} : { search }) };
      return unwrap(await api.GET('/api/projects', { params: { query }, signal })).results;
    },
    placeholderData: keepPreviousData,
  });
  return (
    <Select
      label="Project"
      required
      searchable
      data={data.map(({ id, name }) => ({ value: String(id), label: `${name} (#${id})` }))}
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      onSearchChange={(text) => setSearch(data.some(({ id, name }) => `${name} (#${id})` === text) ? '' : text)}
      nothingFoundMessage="No project found"
    />
  );
}
