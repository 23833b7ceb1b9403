import { Group, Select, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type UploadFile, unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'react-router';
import { api, type BasicUser, type Project, type Task } from '../../app/api';
import { storeDraft, useDraft } from '../../app/drafts';
import { uploads } from '../../app/uploads';
import { DetailField } from '../../components/detail-field';
import { type DraftLabel, LabelEditor, toInputs } from '../../components/label-editor';
import { FormSection, NewPage } from '../../components/new-page';
import {
  countOf,
  DataSettingsForm,
  DataSourceForm,
  DEFAULT_SETTINGS,
  type FramesDraft,
  framesDraftOf,
  framesPlan,
  NO_SOURCE,
  toTaskSettings,
} from '../../components/task-data';
import { InvalidInput } from '../../app/invalid-input';
import { PermittedPage, useMayCreateTask } from '../../components/rights';
import { UserSelect } from '../../components/user-select';

const TYPING_MS = 250;

interface Draft {
  readonly name: string;
  readonly subset: string;
  readonly projectId: string | null;
  readonly assignee: BasicUser | null;
  readonly labels: readonly DraftLabel[];
  readonly source: typeof NO_SOURCE;
  readonly settings: typeof DEFAULT_SETTINGS;
  /** Number of files on this computer. A reload loses the files themselves; the form then asks for them again. */
  readonly fileCount: number;
}

const EMPTY: Omit<Draft, 'projectId'> = {
  name: '',
  subset: '',
  assignee: null,
  labels: [],
  source: NO_SOURCE,
  settings: DEFAULT_SETTINGS,
  fileCount: 0,
};

export function Component(): ReactNode {
  const [params] = useSearchParams();
  const preset = params.get('project');
  return (
    <PermittedPage
      isPermitted={useMayCreateTask(preset === null ? null : Number(preset))}
      title="New task"
      crumb={{ to: '/tasks', title: 'Tasks' }}
      who="In an organization, supervisors, maintainers and the owner can create tasks. Owners and assignees of a project can create tasks in it: open the project, and select “New task”."
    >
      <NewTask preset={preset} />
    </PermittedPage>
  );
}

function NewTask({ preset }: { readonly preset: string | null }): ReactNode {
  const [empty] = useState<Draft>(() => ({ ...EMPTY, projectId: preset }));
  const [draft, setDraft, forgetDraft] = useDraft(`new task ${preset ?? ''}`, empty);
  const set = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  const { name, subset, projectId, assignee, labels, source, settings } = draft;
  const [jsonProblem, setJsonProblem] = useState<string | null>(null);
  const [files, setFiles] = useState<readonly UploadFile[]>([]);
  const count = countOf(source, files);
  const clear = (): void => {
    setDraft(empty);
    setFiles([]);
  };
  const create = async () => {
    if (projectId === null && labels.length === 0 && jsonProblem === null)
      throw new InvalidInput({ labels: 'Select a project, or add a label.' });
    const body = {
      name: name.trim(),
      ...(subset.trim() === '' ? {} : { subset: subset.trim() }),
      ...(assignee === null ? {} : { assignee_id: assignee.id }),
      ...(projectId === null ? { labels: toInputs(labels, jsonProblem) } : { project_id: Number(projectId) }),
      ...toTaskSettings(settings),
    };
    return unwrap(await api.POST('/api/tasks', { body: body as never }));
  };
  const finish = (task: Task): void => {
    forgetDraft();
    storeDraft(framesDraftOf(task.id), { source, settings } satisfies FramesDraft);
    if (count > 0) uploads.start(framesPlan(task, source, files, settings));
  };
  const action = source.location === 'computer' ? 'Create and upload files' : 'Create from these files';
  return (
    <NewPage
      kind="task"
      create={create}
      onCreated={finish}
      action={count === 0 ? 'Create without files' : action}
      note={count === 0 ? 'You can add files later, but only once.' : 'You can continue to work during the upload.'}
      onClear={draft === empty ? undefined : clear}
    >
      {(fields) => (
        <>
          <div className="panel panel--padded">
            <Stack>
              <DetailField of="name" value={name} onChange={(to) => set({ name: to })} errors={fields} />
              <Group grow align="flex-start">
                <ProjectSelect value={projectId} onChange={(id) => set({ projectId: id })} />
                <DetailField of="subset" value={subset} onChange={(to) => set({ subset: to })} errors={fields} />
              </Group>
              <UserSelect
                label="Assignee"
                value={assignee}
                error={fields['assignee_id']}
                onChange={(to) => set({ assignee: to })}
              />
            </Stack>
          </div>
          <FormSection title="Labels">
            {projectId === null ? (
              <LabelEditor
                labels={labels}
                onChange={(next) => set({ labels: next })}
                error={fields['labels']}
                jsonProblem={jsonProblem}
                onJsonProblem={setJsonProblem}
              />
            ) : (
              <Text size="sm" c="dimmed">
                The task uses the labels of the project.
              </Text>
            )}
          </FormSection>
          <FormSection title="Files">
            <DataSourceForm
              source={source}
              onChange={(next) => set({ source: next })}
              files={files}
              onFiles={(next) => {
                setFiles(next);
                set({ fileCount: next.length });
              }}
            />
            {files.length === 0 && draft.fileCount > 0 && (
              <Text size="sm" mt="sm" role="status">
                Select the {draft.fileCount === 1 ? 'file' : `${draft.fileCount} files`} again. Browsers do not keep
                selected files when a page is reloaded.
              </Text>
            )}
          </FormSection>
          <DataSettingsForm settings={settings} onChange={(next) => set({ settings: next })} fields={fields} />
        </>
      )}
    </NewPage>
  );
}

interface ProjectSelectProps {
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
}

/** Selects a project by name. */
function ProjectSelect({ value, onChange }: ProjectSelectProps): ReactNode {
  const [search, setSearch] = useState('');
  const [query] = useDebouncedValue(search, TYPING_MS);
  const { data } = useQuery({
    queryKey: ['projects', 'search', query, value],
    queryFn: async ({ signal }) => {
      const parameters = { page_size: '20', ...(query === '' ? {} : { search: query }) };
      const found: Project[] = unwrap(
        await api.GET('/api/projects', { params: { query: parameters }, signal }),
      ).results;
      if (value === null || found.some(({ id }) => String(id) === value)) return found;
      const path = { id: Number(value) };
      return [...found, unwrap(await api.GET('/api/projects/{id}', { params: { path }, signal }))];
    },
    placeholderData: keepPreviousData,
  });
  return (
    <Select
      label="Project"
      description="The task uses its labels."
      placeholder="No project"
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
