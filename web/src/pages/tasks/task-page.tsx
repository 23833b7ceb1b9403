import { Anchor, Badge, Button, Tabs, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { api, type Task } from '../../app/api';
import { framesOf, uploads } from '../../app/uploads';
import { ActionsMenu } from '../../components/actions-menu';
import { Confirm } from '../../components/confirm';
import { Crumbs } from '../../components/crumbs';
import { EmptyState } from '../../components/empty-state';
import { BackupDialog, exchangeTarget, ExportDialog, ImportDialog } from '../../components/exchange';
import { GuidePanel } from '../../components/guide';
import { InItsOrganization } from '../../components/in-its-organization';
import { LabelsPanel } from '../../components/labels-panel';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { PageLoader } from '../../components/page-loader';
import { PageTabs } from '../../components/page-tabs';
import { displayName } from '../../components/person';
import { Status } from '../../components/status';
import { useTaskRights } from '../../components/rights';
import { useNames } from '../../components/names';
import { onlyIf, readTask, type Tagged } from '../../components/tagged';
import { TimeAgo } from '../../components/time-ago';
import { TaskFrames } from './task-frames';
import { counted } from '../../components/counted';
import { lazyDialog } from '../../components/lazy-dialog';
import { modelsQuery } from '../../components/models/models-query';

/** Loaded with their tab. A task without frames shows an upload form instead of its jobs. */
const DetailsForm = lazy(async () => ({ default: (await import('../../components/details-form')).DetailsForm }));
const JobList = lazy(async () => ({ default: (await import('../../components/job-list')).JobList }));
const GroundTruthDialog = lazyDialog(
  async () => (await import('../../components/task-data/ground-truth-dialog')).GroundTruthDialog,
);
const AnnotateDialog = lazyDialog(async () => (await import('../../components/models/annotate-dialog')).AnnotateDialog);
const RunProgress = lazy(async () => ({ default: (await import('../../components/models/run-progress')).RunProgress }));

export function Component(): ReactNode {
  const id = Number(useParams()['taskId']);
  const query = useQuery({ queryKey: ['task', id], queryFn: ({ signal }) => readTask(id, signal) });
  return (
    <Loaded query={query} pageTitle="Task">
      {(task) => (
        <InItsOrganization key={id} id={task.value.organization}>
          <TaskView task={task} onReload={query.refetch} />
        </InItsOrganization>
      )}
    </Loaded>
  );
}

type DialogName = 'export' | 'backup' | 'import' | 'annotate' | 'ground-truth' | 'delete';

interface TaskViewProps {
  readonly task: Tagged<Task>;
  readonly onReload: () => Promise<unknown>;
}

function TaskView({ task: { value: task, etag }, onReload }: TaskViewProps): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const project = useNames('projects', [task.project_id]).get(task.project_id ?? 0);
  const rights = useTaskRights(task);
  const target = exchangeTarget('task', task, task.name);
  const change = async (body: Record<string, unknown>, known = etag): Promise<void> => {
    const path = { id: task.id };
    unwrap(await api.PATCH('/api/tasks/{id}', { params: { path }, headers: onlyIf(known), body: body as never }));
    await client.invalidateQueries({ queryKey: ['tasks'] });
    await onReload();
  };
  const remove = async (): Promise<void> => {
    unwrap(await api.DELETE('/api/tasks/{id}', { params: { path: { id: task.id } } }));
    uploads.remove(framesOf(task.id));
    await client.invalidateQueries({ queryKey: ['tasks'] });
    await navigate(task.project_id === null ? '/tasks' : `/projects/${task.project_id}`);
  };
  const hasFrames = (task.size ?? 0) > 0;
  const close = (): void => setDialog(null);
  const isAnnotatable = rights?.importAnnotations === true && hasFrames && task.dimension === '2d';
  const { data: models = [] } = useQuery({ ...modelsQuery, enabled: isAnnotatable, retry: false });
  const hasModels = isAnnotatable && models.some(({ kind }) => kind === 'detector' || kind === 'reid');
  return (
    <Page
      title={task.name}
      above={
        <Crumbs
          crumbs={[
            { to: '/tasks', title: 'Tasks' },
            ...(task.project_id === null
              ? []
              : [{ to: `/projects/${task.project_id}`, title: project ?? `Project ${task.project_id}` }]),
          ]}
        />
      }
      subtitle={<Subtitle task={task} />}
      actions={
        <>
          {rights?.checkQuality === true && hasFrames && task.dimension === '2d' && (
            <Button variant="default" component={Link} to={`/tasks/${task.id}/quality`}>
              Quality
            </Button>
          )}
          {rights?.mergeReplicas === true && task.consensus_enabled && (
            <Button variant="default" component={Link} to={`/tasks/${task.id}/consensus`}>
              Consensus
            </Button>
          )}
          <ActionsMenu
            wide
            of={task.name}
            actions={[
              { title: 'Export', icon: 'download', onClick: () => setDialog('export') },
              ...(hasFrames
                ? [{ title: 'Back up', icon: 'download' as const, onClick: () => setDialog('backup') }]
                : []),
              ...(rights?.importAnnotations === true
                ? [{ title: 'Import annotations', icon: 'upload' as const, onClick: () => setDialog('import') }]
                : []),
              ...(hasModels
                ? [{ title: 'Annotate automatically', icon: 'detect' as const, onClick: () => setDialog('annotate') }]
                : []),
              ...(rights?.addJob === true && hasFrames && task.validation_mode === null && task.dimension === '2d'
                ? [{ title: 'Add ground truth job', icon: 'job' as const, onClick: () => setDialog('ground-truth') }]
                : []),
              ...(rights?.delete === true
                ? [{ title: 'Delete', icon: 'trash' as const, isDangerous: true, onClick: () => setDialog('delete') }]
                : []),
            ]}
          />
        </>
      }
    >
      {hasModels && (
        <Suspense fallback={null}>
          <RunProgress taskId={task.id} />
        </Suspense>
      )}
      <PageTabs titles={{ jobs: 'Jobs', labels: 'Labels', guide: 'Guide', details: 'Details' }}>
        <Tabs.Panel value="jobs">
          <TaskFrames task={task} onReload={onReload} />
          {hasFrames && (
            <Suspense fallback={<PageLoader />}>
              <JobList
                taskId={task.id}
                empty={<EmptyState icon="job" title="No jobs" text="All jobs of this task have been deleted." />}
              />
            </Suspense>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="labels">
          {task.project_id === null ? (
            <LabelsPanel
              of={{ task_id: task.id }}
              etag={etag}
              onSave={(labels, known) => change({ labels }, known)}
              onReload={onReload}
            />
          ) : (
            <FromProject projectId={task.project_id} what="labels" />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="guide">
          {task.project_id === null ? (
            <GuidePanel of={{ task_id: task.id }} guideId={task.guide_id} onCreated={onReload} />
          ) : (
            <FromProject projectId={task.project_id} what="guide" />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="details">
          <div className="panel panel--padded" style={{ maxWidth: 640 }}>
            <Suspense fallback={<PageLoader />}>
              <DetailsForm
                of={`task ${task.id}`}
                present={{
                  name: task.name,
                  bug_tracker: task.bug_tracker,
                  subset: task.subset,
                  assignee: task.assignee,
                }}
                mayAssign={rights?.changeAssignee === true}
                onSave={(changes) => change(changes)}
                onReload={onReload}
              />
            </Suspense>
          </div>
        </Tabs.Panel>
      </PageTabs>
      <ExportDialog target={target} opened={dialog === 'export'} onClose={close} />
      <BackupDialog target={target} opened={dialog === 'backup'} onClose={close} />
      <ImportDialog target={target} opened={dialog === 'import'} onClose={close} />
      <AnnotateDialog target={{ taskId: task.id, jobId: undefined }} opened={dialog === 'annotate'} onClose={close} />
      <GroundTruthDialog task={task} opened={dialog === 'ground-truth'} onClose={close} />
      <Confirm
        opened={dialog === 'delete'}
        onClose={close}
        title={`Delete ${task.name}?`}
        text="This also deletes its images, jobs and annotations. This cannot be undone."
        action="Delete task"
        onConfirm={remove}
      />
    </Page>
  );
}

const FromProject = ({ projectId, what }: { readonly projectId: number; readonly what: string }): ReactNode => (
  <Text size="sm">
    This task uses the {what} of its project.{' '}
    <Anchor component={Link} to={`/projects/${projectId}?show=${what}`}>
      View {what}
    </Anchor>
  </Text>
);

function Subtitle({ task }: { readonly task: Task }): ReactNode {
  const { size = 0 } = task;
  return (
    <Text span size="sm">
      <Status value={task.status} />{' '}
      {task.validation_mode !== null && (
        <Badge variant="default" radius="sm">
          {task.validation_mode === 'gt' ? 'ground truth' : 'honeypots'}
        </Badge>
      )}{' '}
      {task.consensus_enabled && (
        <Badge variant="default" radius="sm">
          consensus
        </Badge>
      )}{' '}
      #{task.id} · {counted(size, 'frame')} ·{' '}
      {task.jobs.count === 0
        ? 'no jobs yet'
        : `${task.jobs.completed.toLocaleString('en')} of ${counted(task.jobs.count, 'job')} completed`}{' '}
      · {task.owner === null ? 'no owner' : `by ${displayName(task.owner)}`} · updated{' '}
      <TimeAgo date={task.updated_date} />
    </Text>
  );
}
