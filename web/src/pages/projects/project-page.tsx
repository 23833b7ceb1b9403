import { Anchor, Button, Tabs, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { api, type Project } from '../../app/api';
import { ActionsMenu } from '../../components/actions-menu';
import { Confirm } from '../../components/confirm';
import { Crumbs } from '../../components/crumbs';
import { DetailsForm } from '../../components/details-form';
import { EmptyState } from '../../components/empty-state';
import { BackupDialog, exchangeTarget, ExportDialog, ImportDialog } from '../../components/exchange';
import { GuidePanel } from '../../components/guide';
import { Icon } from '../../components/icons';
import { InItsOrganization } from '../../components/in-its-organization';
import { LabelsPanel } from '../../components/labels-panel';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { PageTabs } from '../../components/page-tabs';
import { displayName } from '../../components/person';
import { onlyIf, readProject, type Tagged } from '../../components/tagged';
import { useProjectRights } from '../../components/rights';
import { TaskList } from '../../components/task-list';
import { TimeAgo } from '../../components/time-ago';
import { counted } from '../../components/counted';

export function Component(): ReactNode {
  const id = Number(useParams()['projectId']);
  const query = useQuery({
    queryKey: ['project', id],
    queryFn: ({ signal }) => readProject(id, signal),
  });
  return (
    <Loaded query={query} pageTitle="Project">
      {(project) => (
        <InItsOrganization key={id} id={project.value.organization}>
          <ProjectView project={project} onReload={query.refetch} />
        </InItsOrganization>
      )}
    </Loaded>
  );
}

interface ProjectViewProps {
  readonly project: Tagged<Project>;
  readonly onReload: () => Promise<unknown>;
}

function ProjectView({ project: { value: project, etag }, onReload }: ProjectViewProps): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'export' | 'backup' | 'import' | 'delete' | null>(null);
  const rights = useProjectRights(project);
  const target = exchangeTarget('project', project, project.name);
  const change = async (body: Record<string, unknown>, known = etag): Promise<void> => {
    const params_ = { path: { id: project.id } };
    unwrap(await api.PATCH('/api/projects/{id}', { params: params_, headers: onlyIf(known), body: body as never }));
    await client.invalidateQueries({ queryKey: ['projects'] });
    await onReload();
  };
  const remove = async (): Promise<void> => {
    unwrap(await api.DELETE('/api/projects/{id}', { params: { path: { id: project.id } } }));
    await client.invalidateQueries({ queryKey: ['projects'] });
    await navigate('/projects');
  };
  const newTask = rights?.createTask === true && (
    <Button component={Link} to={`/tasks/new?project=${project.id}`} leftSection={<Icon name="plus" size={16} />}>
      New task
    </Button>
  );
  return (
    <Page
      title={project.name}
      above={<Crumbs crumbs={[{ to: '/projects', title: 'Projects' }]} />}
      subtitle={<Subtitle project={project} />}
      actions={
        <>
          {newTask}
          {rights?.checkQuality === true && project.dimension !== '3d' && (
            <Button variant="default" component={Link} to={`/projects/${project.id}/quality`}>
              Quality
            </Button>
          )}
          {rights?.viewActivity === true && (
            <Button variant="default" component={Link} to={`/projects/${project.id}/activity`}>
              Activity
            </Button>
          )}
          <ActionsMenu
            wide
            of={project.name}
            actions={[
              { title: 'Export', icon: 'download', onClick: () => setDialog('export') },
              { title: 'Back up', icon: 'download', onClick: () => setDialog('backup') },
              ...(rights?.importDataset === true
                ? [{ title: 'Import dataset', icon: 'upload' as const, onClick: () => setDialog('import') }]
                : []),
              { title: 'View jobs', icon: 'job', onClick: () => void navigate(`/jobs?project_id=${project.id}`) },
              {
                title: 'View webhooks',
                icon: 'webhook',
                onClick: () => void navigate(`/webhooks?project_id=${project.id}`),
              },
              ...(rights?.delete === true
                ? [{ title: 'Delete', icon: 'trash' as const, isDangerous: true, onClick: () => setDialog('delete') }]
                : []),
            ]}
          />
        </>
      }
    >
      <PageTabs titles={{ tasks: 'Tasks', labels: 'Labels', guide: 'Guide', details: 'Details' }}>
        <Tabs.Panel value="tasks">
          <TaskList
            projectId={project.id}
            empty={
              <EmptyState
                icon="task"
                title="No tasks in this project yet"
                text="A task has images or a video. It uses the labels of this project."
                action={newTask}
              />
            }
          />
        </Tabs.Panel>
        <Tabs.Panel value="labels">
          <LabelsPanel
            of={{ project_id: project.id }}
            etag={etag}
            onSave={(labels, known) => change({ labels }, known)}
            onReload={onReload}
          />
        </Tabs.Panel>
        <Tabs.Panel value="guide">
          <GuidePanel of={{ project_id: project.id }} guideId={project.guide_id} onCreated={onReload} />
        </Tabs.Panel>
        <Tabs.Panel value="details">
          <div className="panel panel--padded" style={{ maxWidth: 640 }}>
            <DetailsForm
              of={`project ${project.id}`}
              present={{ name: project.name, bug_tracker: project.bug_tracker, assignee: project.assignee }}
              mayAssign={rights?.changeAssignee === true}
              onSave={(changes) => change(changes)}
              onReload={onReload}
            />
          </div>
        </Tabs.Panel>
      </PageTabs>
      <ExportDialog target={target} opened={dialog === 'export'} onClose={() => setDialog(null)} />
      <BackupDialog target={target} opened={dialog === 'backup'} onClose={() => setDialog(null)} />
      <ImportDialog target={target} opened={dialog === 'import'} onClose={() => setDialog(null)} />
      <Confirm
        opened={dialog === 'delete'}
        onClose={() => setDialog(null)}
        title={`Delete ${project.name}?`}
        text={`${deletedWith(project)} This cannot be undone.`}
        action="Delete project"
        onConfirm={remove}
      />
    </Page>
  );
}

function deletedWith({ tasks: { count } }: Project): string {
  if (count === 0) return 'This also deletes its labels.';
  return `This also deletes its ${counted(count, 'task')} with all images and annotations.`;
}

function Subtitle({ project }: { readonly project: Project }): ReactNode {
  return (
    <Text span size="sm">
      #{project.id} · {project.owner === null ? 'no owner' : `by ${displayName(project.owner)}`} · updated{' '}
      <TimeAgo date={project.updated_date} />
      {/^https?:\/\//.test(project.bug_tracker) && (
        <>
          {' · '}
          <Anchor href={project.bug_tracker} rel="noreferrer" target="_blank">
            Issue tracker
          </Anchor>
        </>
      )}
    </Text>
  );
}
