import { Button, Group, Stack, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../../app/api';
import { explain } from '../../app/problems';
import { Crumbs } from '../../components/crumbs';
import { ErrorPanel } from '../../components/error-panel';
import { type DraftLabel, LabelEditor, labelsProblem, toInputs } from '../../components/label-editor';
import { Page } from '../../components/page';

export function Component(): ReactNode {
  const [name, setName] = useState('');
  const [tracker, setTracker] = useState('');
  const [labels, setLabels] = useState<readonly DraftLabel[]>([]);
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
                onChange={(event) => setName(event.currentTarget.value)}
              />
              <TextInput
                label="Issue tracker"
                description="Address of the place where problems are discussed, if there is one."
                maxLength={2000}
                value={tracker}
                error={fields['bug_tracker']}
                onChange={(event) => setTracker(event.currentTarget.value)}
              />
            </Stack>
          </div>
          <section className="panel panel--padded" aria-labelledby="labels-title">
            <Title order={2} mb="sm" id="labels-title">
              Labels
            </Title>
            <LabelEditor labels={labels} onChange={setLabels} />
          </section>
          {create.error !== null && <ErrorPanel error={create.error} />}
          <Group>
            <Button type="submit" loading={create.isPending}>
              Create the project
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}
