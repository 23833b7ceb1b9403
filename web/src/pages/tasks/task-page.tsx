import { Anchor, Button, Progress, Stack, Tabs, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CairnError, unwrap, type UploadFile } from 'cairn-client';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router';
import { api, type Task } from '../../app/api';
import { uploads, useUpload } from '../../app/uploads';
import { ActionsMenu } from '../../components/actions-menu';
import { Confirm } from '../../components/confirm';
import { Crumbs } from '../../components/crumbs';
import { DataSettingsForm, DEFAULT_SETTINGS, toDataParameters } from '../../components/data-settings';
import { DetailsForm } from '../../components/details-form';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { ExportDialog, ImportDialog } from '../../components/exchange';
import { FileDrop } from '../../components/file-drop';
import { JobList } from '../../components/job-list';
import { LabelsPanel } from '../../components/labels-panel';
import { Page } from '../../components/page';
import { PageLoader } from '../../components/page-loader';
import { displayName } from '../../components/person';
import { Status } from '../../components/status';
import { onlyIf, readTask, type Tagged } from '../../components/tagged';
import { TimeAgo } from '../../components/time-ago';
import { UploadProgressPanel } from '../../components/upload-progress';

const ASK_AGAIN_MS = 1_500;

export function Component(): ReactNode {
  const id = Number(useParams()['taskId']);
  const { data, error, refetch } = useQuery({ queryKey: ['task', id], queryFn: ({ signal }) => readTask(id, signal) });
  if (data !== undefined) return <TaskView task={data} onReload={refetch} />;
  if (error === null) return <PageLoader />;
  return (
    <Page title="Task">
      <ErrorPanel error={error} onRetry={() => void refetch()} />
    </Page>
  );
}

interface TaskViewProps {
  readonly task: Tagged<Task>;
  readonly onReload: () => Promise<unknown>;
}

function TaskView({ task: { value: task, etag }, onReload }: TaskViewProps): ReactNode {
  const [params, setParams] = useSearchParams();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'export' | 'import' | 'delete' | null>(null);
  const tab = params.get('show') ?? 'jobs';
  const target = { kind: 'task' as const, id: task.id, name: task.name };
  const change = async (body: Record<string, unknown>): Promise<void> => {
    const path = { id: task.id };
    unwrap(await api.PATCH('/api/tasks/{id}', { params: { path }, headers: onlyIf(etag), body: body as never }));
    await client.invalidateQueries({ queryKey: ['tasks'] });
    await onReload();
  };
  const remove = async (): Promise<void> => {
    const { response, error } = await api.DELETE('/api/tasks/{id}', { params: { path: { id: task.id } } });
    if (!response.ok) throw new CairnError(response, error);
    uploads.remove(task.id);
    await client.invalidateQueries({ queryKey: ['tasks'] });
    await navigate(task.project_id === null ? '/tasks' : `/projects/${task.project_id}`);
  };
  const hasFrames = (task.size ?? 0) > 0;
  const close = (): void => setDialog(null);
  return (
    <Page
      title={task.name}
      above={
        <Crumbs
          crumbs={[
            { to: '/tasks', title: 'Tasks' },
            ...(task.project_id === null
              ? []
              : [{ to: `/projects/${task.project_id}`, title: `Project ${task.project_id}` }]),
          ]}
        />
      }
      subtitle={<Subtitle task={task} />}
      actions={
        <ActionsMenu
          wide
          of={task.name}
          actions={[
            { title: 'Export', icon: 'download', onClick: () => setDialog('export') },
            { title: 'Import annotations', icon: 'upload', onClick: () => setDialog('import') },
            { title: 'Delete', icon: 'trash', isDangerous: true, onClick: () => setDialog('delete') },
          ]}
        />
      }
    >
      <Tabs
        value={tab}
        onChange={(value) => setParams(value === 'jobs' || value === null ? {} : { show: value }, { replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="jobs">Jobs</Tabs.Tab>
          <Tabs.Tab value="labels">Labels</Tabs.Tab>
          <Tabs.Tab value="details">Details</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="jobs">
          <Data task={task} onReload={onReload} />
          {hasFrames && (
            <JobList
              taskId={task.id}
              empty={<EmptyState icon="job" title="No jobs" text="All jobs of this task have been deleted." />}
            />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="labels">
          {task.project_id === null ? (
            <LabelsPanel of={{ task_id: task.id }} onSave={(labels) => change({ labels })} />
          ) : (
            <Text size="sm">
              This task uses the labels of its project.{' '}
              <Anchor component={Link} to={`/projects/${task.project_id}?show=labels`}>
                Go to them
              </Anchor>
            </Text>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="details">
          <div className="panel panel--padded" style={{ maxWidth: 640 }}>
            <DetailsForm
              present={{ name: task.name, bug_tracker: task.bug_tracker, subset: task.subset, assignee: task.assignee }}
              onSave={change}
              onReload={onReload}
            />
          </div>
        </Tabs.Panel>
      </Tabs>
      <ExportDialog target={target} opened={dialog === 'export'} onClose={close} />
      <ImportDialog target={target} opened={dialog === 'import'} onClose={close} />
      <Confirm
        opened={dialog === 'delete'}
        onClose={close}
        title={`Delete ${task.name}?`}
        text="Its images, jobs and annotations go with it. This cannot be undone."
        action="Delete the task"
        onConfirm={remove}
      />
    </Page>
  );
}

function Subtitle({ task }: { readonly task: Task }): ReactNode {
  const { size = 0 } = task;
  return (
    <Text span size="sm">
      <Status value={task.status} /> #{task.id} · {size.toLocaleString('en')} {size === 1 ? 'frame' : 'frames'} ·{' '}
      {task.jobs.completed} of {task.jobs.count} jobs done ·{' '}
      {task.owner === null ? 'without owner' : `by ${displayName(task.owner)}`} · changed{' '}
      <TimeAgo date={task.updated_date} />
    </Text>
  );
}

/** Where the images of the task are: on their way, being processed, failed, or not sent yet. Nothing once they are there. */
function Data({ task, onReload }: { readonly task: Task; readonly onReload: () => Promise<unknown> }): ReactNode {
  const upload = useUpload(task.id);
  const hasFrames = (task.size ?? 0) > 0;
  const creation = useCreation(task.id, !hasFrames && upload === undefined);
  const isReady = upload?.state === 'done' || creation?.status === 'finished';
  useEffect(() => {
    if (isReady && !hasFrames) void onReload();
    if (isReady && hasFrames) uploads.remove(task.id);
  }, [isReady, hasFrames, onReload, task.id]);
  if (hasFrames) return null;
  if (upload !== undefined && upload.state !== 'failed') {
    return (
      <div className="panel panel--padded">
        <UploadProgressPanel upload={upload} />
      </div>
    );
  }
  if (creation?.status === 'queued' || creation?.status === 'started') {
    return (
      <div className="panel panel--padded">
        <Text size="sm" fw={600} mb="xs" aria-live="polite">
          {creation.message.trim() ||
            (creation.status === 'queued' ? 'The files wait for the server' : 'The server is processing the files')}
        </Text>
        <Progress value={100 * creation.progress} striped animated aria-label="Processed" />
      </div>
    );
  }
  const failure = upload?.problem?.text ?? (creation?.status === 'failed' ? creation.message.trim() : null);
  return <SendFiles task={task} failure={failure} />;
}

/** The request that processes the files of a task, also when another page or person sent them. */
function useCreation(taskId: number, enabled: boolean) {
  const { data } = useQuery({
    queryKey: ['requests', 'creation', taskId],
    queryFn: async ({ signal }) => {
      const query = { task_id: taskId, action: 'create', target: 'task', page_size: '1' };
      return unwrap(await api.GET('/api/requests', { params: { query: query as never }, signal })).results[0] ?? null;
    },
    enabled,
    refetchInterval: ({ state }) =>
      state.data?.status === 'queued' || state.data?.status === 'started' ? ASK_AGAIN_MS : false,
  });
  return enabled ? data : null;
}

function SendFiles({ task, failure }: { readonly task: Task; readonly failure: string | null }): ReactNode {
  const [files, setFiles] = useState<readonly UploadFile[]>([]);
  const [settings, setSettings] = useState(DEFAULT_SETTINGS);
  const send = (): void => {
    const order = settings.sorting === 'predefined' ? { upload_file_order: files.map((file) => file.name) } : {};
    uploads.start(task.id, task.name, files, { ...toDataParameters(settings), ...order });
  };
  return (
    <Stack>
      {failure !== null && (
        <ErrorPanel error={new Error(`${failure} Send other files, or the same with other settings.`)} />
      )}
      <div className="panel panel--padded">
        <Text size="sm" mb="md">
          This task has no frames yet. Send its files; they cannot be added to later.
        </Text>
        <FileDrop files={files} onChange={setFiles} />
      </div>
      <DataSettingsForm settings={settings} onChange={setSettings} dataOnly />
      <Button w="fit-content" disabled={files.length === 0} onClick={send}>
        Send the files
      </Button>
    </Stack>
  );
}
