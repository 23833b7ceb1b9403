import { Button, Group, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type UploadFile, unwrap } from 'cairn-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { api, type Project } from '../../app/api';
import { explain } from '../../app/problems';
import { uploads } from '../../app/uploads';
import { Crumbs } from '../../components/crumbs';
import { DataSettingsForm, DEFAULT_SETTINGS, toDataParameters } from '../../components/data-settings';
import { ErrorPanel } from '../../components/error-panel';
import { FileDrop } from '../../components/file-drop';
import { type DraftLabel, LabelEditor, labelsProblem, toInputs } from '../../components/label-editor';
import { Page } from '../../components/page';

const TYPING_MS = 250;

export function Component(): ReactNode {
  const [params] = useSearchParams();
  const [name, setName] = useState('');
  const [subset, setSubset] = useState('');
  const [projectId, setProjectId] = useState<string | null>(params.get('project'));
  const [labels, setLabels] = useState<readonly DraftLabel[]>([]);
  const [files, setFiles] = useState<readonly UploadFile[]>([]);
  const [settings, setSettings] = useState(DEFAULT_SETTINGS);
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: async () => {
      const problem = projectId === null ? labelsProblem(labels) : null;
      if (problem !== null) throw new Error(problem);
      if (projectId === null && labels.length === 0) throw new Error('Choose a project, or add a label.');
      const body = {
        name: name.trim(),
        ...(subset.trim() === '' ? {} : { subset: subset.trim() }),
        ...(projectId === null ? { labels: toInputs(labels) } : { project_id: Number(projectId) }),
        ...(settings.segmentSize === null ? {} : { segment_size: settings.segmentSize }),
        ...(settings.overlap === null ? {} : { overlap: settings.overlap }),
      };
      return unwrap(await api.POST('/api/tasks', { body: body as never }));
    },
    onSuccess: async (task) => {
      if (files.length > 0) {
        const order = settings.sorting === 'predefined' ? { upload_file_order: files.map((file) => file.name) } : {};
        uploads.start(task.id, task.name, files, { ...toDataParameters(settings), ...order });
      }
      await client.invalidateQueries({ queryKey: ['tasks'] });
      await navigate(`/tasks/${task.id}`);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  const fields = create.error === null ? {} : explain(create.error).fields;
  return (
    <Page title="New task" narrow above={<Crumbs crumbs={[{ to: '/tasks', title: 'Tasks' }]} />}>
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
              <Group grow align="flex-start">
                <ProjectSelect value={projectId} onChange={setProjectId} />
                <TextInput
                  label="Subset"
                  description="Such as train or test."
                  maxLength={64}
                  value={subset}
                  error={fields['subset']}
                  onChange={(event) => setSubset(event.currentTarget.value)}
                />
              </Group>
            </Stack>
          </div>
          <section className="panel panel--padded" aria-labelledby="labels-title">
            <Title order={2} mb="sm" id="labels-title">
              Labels
            </Title>
            {projectId === null ? (
              <LabelEditor labels={labels} onChange={setLabels} />
            ) : (
              <Text size="sm" c="dimmed">
                Those of the project.
              </Text>
            )}
          </section>
          <section className="panel panel--padded" aria-labelledby="files-title">
            <Title order={2} mb="sm" id="files-title">
              Files
            </Title>
            <FileDrop files={files} onChange={setFiles} />
          </section>
          <DataSettingsForm settings={settings} onChange={setSettings} />
          {create.error !== null && <ErrorPanel error={create.error} />}
          <Group>
            <Button type="submit" loading={create.isPending}>
              {files.length === 0 ? 'Create without files' : 'Create and send the files'}
            </Button>
            <Text size="sm" c="dimmed">
              {files.length === 0
                ? 'Files can be added to the task later, once.'
                : 'You can go on working while they are sent.'}
            </Text>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}

interface ProjectSelectProps {
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
}

/** Finds a project by its name. */
function ProjectSelect({ value, onChange }: ProjectSelectProps): ReactNode {
  const [search, setSearch] = useState('');
  const [asked] = useDebouncedValue(search, TYPING_MS);
  const { data } = useQuery({
    queryKey: ['projects', 'search', asked, value],
    queryFn: async ({ signal }) => {
      const query = { page_size: '20', ...(asked === '' ? {} : { search: asked }) };
      const found: Project[] = unwrap(await api.GET('/api/projects', { params: { query }, signal })).results;
      if (value === null || found.some(({ id }) => String(id) === value)) return found;
      const path = { id: Number(value) };
      return [...found, unwrap(await api.GET('/api/projects/{id}', { params: { path }, signal }))];
    },
    placeholderData: keepPreviousData,
  });
  return (
    <Select
      label="Project"
      description="Gives the task its labels."
      placeholder="None: own labels"
      clearable
      searchable
      data={(data ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      onSearchChange={setSearch}
      nothingFoundMessage="No project found"
    />
  );
}
