import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import type { Project, Task } from '../../app/api';
import { Crumbs } from '../../components/crumbs';
import { EmptyState } from '../../components/empty-state';
import { InItsOrganization } from '../../components/in-its-organization';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { PageTabs } from '../../components/page-tabs';
import { useProjectRights, useTaskRights } from '../../components/rights';
import { readProject, readTask } from '../../components/tagged';
import { ConflictList } from './conflict-list';
import { CreateReportButton } from './create-report-button';
import { QualitySettings } from './quality-settings';
import { Report } from './report';
import { type QualityTarget, useReports } from './target';

/** The quality of the annotations of a task or a project. */
export function Component(): ReactNode {
  const { taskId, projectId } = useParams();
  return taskId === undefined ? <OfProject id={Number(projectId)} /> : <OfTask id={Number(taskId)} />;
}

function OfTask({ id }: { readonly id: number }): ReactNode {
  const query = useQuery({ queryKey: ['task', id], queryFn: ({ signal }) => readTask(id, signal) });
  return (
    <Loaded query={query} pageTitle="Quality">
      {({ value: task }) => (
        <InItsOrganization key={id} id={task.organization}>
          <TaskQuality task={task} />
        </InItsOrganization>
      )}
    </Loaded>
  );
}

function OfProject({ id }: { readonly id: number }): ReactNode {
  const query = useQuery({ queryKey: ['project', id], queryFn: ({ signal }) => readProject(id, signal) });
  return (
    <Loaded query={query} pageTitle="Quality">
      {({ value: project }) => (
        <InItsOrganization key={id} id={project.organization}>
          <ProjectQuality project={project} />
        </InItsOrganization>
      )}
    </Loaded>
  );
}

function TaskQuality({ task }: { readonly task: Task }): ReactNode {
  const rights = useTaskRights(task);
  const target: QualityTarget = {
    kind: 'task',
    id: task.id,
    name: task.name,
    projectId: task.project_id,
    is3d: task.dimension === '3d',
    mayCheck: rights?.checkQuality === true,
    mayChange: rights?.change === true,
  };
  return <Quality target={target} task={task} isLoading={rights === undefined} />;
}

function ProjectQuality({ project }: { readonly project: Project }): ReactNode {
  const rights = useProjectRights(project);
  const target: QualityTarget = {
    kind: 'project',
    id: project.id,
    name: project.name,
    projectId: null,
    is3d: project.dimension === '3d',
    mayCheck: rights?.checkQuality === true,
    mayChange: rights?.change === true,
  };
  return <Quality target={target} isLoading={rights === undefined} />;
}

interface QualityProps {
  readonly target: QualityTarget;
  /** The task that is the target. */
  readonly task?: Task;
  readonly isLoading: boolean;
}

function Quality({ target, task, isLoading }: QualityProps): ReactNode {
  const reports = useReports(target);
  const crumbs = [
    target.kind === 'task' ? { to: '/tasks', title: 'Tasks' } : { to: '/projects', title: 'Projects' },
    { to: `/${target.kind}s/${target.id}`, title: target.name },
  ];
  const isShown = target.mayCheck && !target.is3d;
  return (
    <Page
      title="Quality"
      above={<Crumbs crumbs={crumbs} />}
      subtitle="How well the annotations match the ground truth."
      actions={
        isShown && reports.data !== undefined && reports.data.length > 0 && <CreateReportButton target={target} />
      }
    >
      {!isLoading && !target.mayCheck && (
        <EmptyState
          icon="chart"
          title="No permission"
          text={`Quality reports are visible to the owner and the assignee of the ${target.kind}, and to maintainers of its organization.`}
        />
      )}
      {target.mayCheck && target.is3d && (
        <EmptyState
          icon="chart"
          title="Not available for point clouds"
          text="Quality reports compare 2D annotations."
        />
      )}
      {isShown && (
        <PageTabs titles={{ report: 'Report', conflicts: 'Conflicts', settings: 'Settings' }}>
          <Tabs.Panel value="report">
            <Loaded query={reports}>
              {(all) => <Report target={target} reports={all} {...(task === undefined ? {} : { task })} />}
            </Loaded>
          </Tabs.Panel>
          <Tabs.Panel value="conflicts">
            <Loaded query={reports}>
              {([newest]) =>
                newest === undefined ? (
                  <EmptyState
                    icon="check"
                    title="No report yet"
                    text="Conflicts are found by a quality report. Create one in the Report tab."
                  />
                ) : (
                  <ConflictList report={newest} />
                )
              }
            </Loaded>
          </Tabs.Panel>
          <Tabs.Panel value="settings">
            <QualitySettings target={target} />
          </Tabs.Panel>
        </PageTabs>
      )}
    </Page>
  );
}
