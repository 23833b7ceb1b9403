import { Button, Group, Stack, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { FormEvent, ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../../app/api';
import { useDraft } from '../../app/drafts';
import { explain } from '../../app/problems';
import { Crumbs } from '../../components/crumbs';
import { ErrorPanel } from '../../components/error-panel';
import { type DraftLabel, LabelEditor, labelsProblem, toInputs } from '../../components/label-editor';
import { Page } from '../../components/page';

const EMPTY = { name: '', tracker: '', labels: [] as readonly DraftLabel[] };

export function Component(): ReactNode {
  const [draft, setDraft, forgetDraft] = useDraft('new project', EMPTY);
  const set = (part: Partial<typeof EMPTY>): void => setDraft((before) => ({ ...before, ...part }));
  const { name, tracker, labels } = draft;
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: async () => {
      const problem = labelsProblem(labels);
      if (problem !== null) throw new Error(problem);
      const body = { name: name.trim(), bug_tracker: tracker.trim(), labels: toInputs(labels) };
      return unwrap(await api.POST('/api/projects', { body }));
    },
    onSuccess: async (project) => {
      forgetDraft();
      await client.invalidateQueries({ queryKey: ['projects'] });
      await navigate(`/projects/${project.id}`);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  const fields = create.error === null ? {} : explain(create.error).fields;
  return (
    <Page title="New project" narrow above={<Crumbs crumbs={[{ to: '/projects', title: 'Projects' }]} />}>
      <form onSubmit={submit}>
        <Stack gap="lg">
          <div className="panel panel--padded">
            <Stack>
              <TextInput
                label="Name"
                required
                maxLength={256}
                value={name}
                error={fields['name']}
                onChange={(event) => set({ name: event.currentTarget.value })}
              />
              <TextInput
                label="Issue tracker"
                description="Address of the place where problems are discussed, if there is one."
                maxLength={2000}
                value={tracker}
                error={fields['bug_tracker']}
                onChange={(event) => set({ tracker: event.currentTarget.value })}
              />
            </Stack>
          </div>
          <section className="panel panel--padded" aria-labelledby="labels-title">
            <Title order={2} mb="sm" id="labels-title">
              Labels
            </Title>
            <LabelEditor labels={labels} onChange={(next) => set({ labels: next })} />
          </section>
          {create.error !== null && <ErrorPanel error={create.error} />}
          <Group>
            <Button type="submit" loading={create.isPending}>
              Create the project
            </Button>
            {draft !== EMPTY && (
              <Button variant="subtle" onClick={() => setDraft(EMPTY)}>
                Empty the form
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Page>
  );
}
