import { Button, Group, Radio, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { api } from '../../app/api';
import { useDraft } from '../../app/drafts';
import { InvalidInput } from '../../app/invalid-input';
import { isAdministrator, useUser } from '../../app/session';
import { CopyOnce } from '../../components/copy-field';
import { Crumbs } from '../../components/crumbs';
import { PermittedPage, useMayCreateOrganizationWebhook, useMayCreateWebhook } from '../../components/rights';
import { Page } from '../../components/page';
import { ProjectField } from './project-field';
import { receiverOf } from './receivers';
import { WebhookForm } from './webhook-form';
import { NEW_WEBHOOK, type WebhookType, type WebhookValues } from './webhook-values';

/** Input that is kept when the page is reloaded. */
interface Draft {
  readonly type: WebhookType;
  readonly projectId: string | null;
  readonly typed: Partial<WebhookValues>;
}

interface Created {
  readonly id: number;
  readonly secret: string | null;
  readonly receiver: string | null;
}

const CRUMB = { to: '/webhooks', title: 'Webhooks' };
const CRUMBS = [CRUMB];

export function Component(): ReactNode {
  const project = useSearchParams()[0].get('project_id');
  return (
    <PermittedPage
      isPermitted={useMayCreateWebhook(project === null ? null : Number(project))}
      title="New webhook"
      crumb={CRUMB}
      who="The owner of a project can create webhooks for it. In an organization, maintainers and the owner can create webhooks for all projects."
    >
      <NewWebhook />
    </PermittedPage>
  );
}

function NewWebhook(): ReactNode {
  const [params] = useSearchParams();
  const client = useQueryClient();
  const [empty] = useState<Draft>(() => ({ type: 'project', projectId: params.get('project_id'), typed: {} }));
  const [draft, setDraft, forgetDraft] = useDraft(`new webhook ${params.toString()}`, empty);
  const set = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  const { type, projectId, typed } = draft;
  const create = useMutation({
    mutationFn: async (settings: Record<string, unknown>): Promise<Created> => {
      if (type === 'project' && projectId === null) throw new InvalidInput({ project_id: 'Select a project.' });
      const scope = type === 'project' ? { type, project_id: Number(projectId) } : { type };
      const webhook = unwrap(await api.POST('/api/webhooks', { body: { ...settings, ...scope } as never }));
      const secret = (webhook as { secret?: string }).secret ?? null;
      return { id: webhook.id, secret, receiver: receiverOf(webhook.target_url) };
    },
    onSuccess: () => {
      forgetDraft();
      return client.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  if (create.data !== undefined) return <CreatedWebhook created={create.data} />;
  return (
    <Page title="New webhook" narrow above={<Crumbs crumbs={CRUMBS} />}>
      <WebhookForm
        present={{ ...NEW_WEBHOOK, target_url: params.get('target_url') ?? '' }}
        typed={typed}
        onType={(next) => set({ typed: next })}
        onClear={draft === empty ? undefined : () => setDraft(empty)}
        type={type}
        isNew
        action="Create webhook"
        isBusy={create.isPending}
        error={create.error}
        onSubmit={(settings) => create.mutate(settings)}
      >
        {(errors) => (
          <>
            <TypeField value={type} onChange={(next) => set({ type: next })} error={errors['type']} />
            {type === 'project' && (
              <ProjectField
                value={projectId}
                onChange={(next) => set({ projectId: next })}
                error={errors['project_id'] ?? errors['project']}
              />
            )}
          </>
        )}
      </WebhookForm>
    </Page>
  );
}

interface TypeFieldProps {
  readonly value: WebhookType;
  readonly onChange: (type: WebhookType) => void;
  readonly error: string | undefined;
}

/** Selects whose events are sent. Offers the organization if one is selected, and the server to administrators. */
function TypeField({ value, onChange, error }: TypeFieldProps): ReactNode {
  const mayBeOfOrganization = useMayCreateOrganizationWebhook();
  const mayBeOfServer = isAdministrator(useUser());
  if (!mayBeOfOrganization && !mayBeOfServer) return null;
  return (
    <Radio.Group label="Scope" value={value} onChange={onChange} error={error}>
      <Group mt={4}>
        <Radio value="project" label="One project" />
        {mayBeOfOrganization && <Radio value="organization" label="The whole organization" />}
        {mayBeOfServer && <Radio value="server" label="The whole server" />}
      </Group>
    </Radio.Group>
  );
}

function CreatedWebhook({ created: { id, secret, receiver } }: { readonly created: Created }): ReactNode {
  useEffect(() => document.getElementById('main')?.focus(), []); // the focused form is gone
  return (
    <Page title="Webhook created" narrow above={<Crumbs crumbs={CRUMBS} />}>
      <Stack>
        {secret !== null && <CopyOnce title="Secret" value={secret} />}
        <Group>
          <Button component={Link} to={`/webhooks/${id}`}>
            Go to webhook
          </Button>
          {receiver !== null && (
            <Button component={Link} to={`/webhooks/receivers/${receiver}`} variant="default">
              View received requests
            </Button>
          )}
        </Group>
      </Stack>
    </Page>
  );
}
