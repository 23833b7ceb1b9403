import { Anchor, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { readAll, type Task } from '../../app/api';
import { Crumbs } from '../../components/crumbs';
import { EmptyState } from '../../components/empty-state';
import { InItsOrganization } from '../../components/in-its-organization';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { PageTabs } from '../../components/page-tabs';
import { useTaskRights } from '../../components/rights';
import { readTask } from '../../components/tagged';
import { Agreement } from './agreement';
import { ConsensusSettingsPanel } from './consensus-settings-panel';
import { ReplicaTable } from './replica-table';
import { replicatedJobs } from './replicas';

/** The replicas of a task: their states, what is merged, and how much they agree. */
export function Component(): ReactNode {
  const id = Number(useParams()['taskId']);
  const query = useQuery({ queryKey: ['task', id], queryFn: ({ signal }) => readTask(id, signal) });
  return (
    <Loaded query={query} pageTitle="Consensus">
      {({ value: task }) => (
        <InItsOrganization key={id} id={task.organization}>
          <Consensus task={task} />
        </InItsOrganization>
      )}
    </Loaded>
  );
}

function Consensus({ task }: { readonly task: Task }): ReactNode {
  const rights = useTaskRights(task);
  const mayMerge = rights?.mergeReplicas === true;
  const jobs = useQuery({
    queryKey: ['jobs', 'all-of-task', task.id],
    queryFn: () => readAll('/api/jobs', { query: { task_id: task.id, sort: 'id', page_size: '500' } }),
    enabled: task.consensus_enabled,
  });
  return (
    <Page
      title="Consensus"
      above={
        <Crumbs
          crumbs={[
            { to: '/tasks', title: 'Tasks' },
            { to: `/tasks/${task.id}`, title: task.name },
          ]}
        />
      }
      subtitle="Copies of each job that are annotated independently, and merged into it."
    >
      {!task.consensus_enabled ? (
        <EmptyState
          icon="job"
          title="This task has no replicas"
          text="Replicas are created together with a task: set “Consensus replicas” in the data settings of a new task."
          action={
            <Anchor component={Link} to="/tasks/new" size="sm">
              Create task
            </Anchor>
          }
        />
      ) : (
        <PageTabs titles={{ jobs: 'Jobs', ...(mayMerge ? { agreement: 'Agreement' } : {}), settings: 'Settings' }}>
          <Tabs.Panel value="jobs">
            <Loaded query={jobs}>
              {(all) => <ReplicaTable task={task} jobs={replicatedJobs(all)} mayMerge={mayMerge} />}
            </Loaded>
          </Tabs.Panel>
          <Tabs.Panel value="agreement">
            <Agreement task={task} />
          </Tabs.Panel>
          <Tabs.Panel value="settings">
            <ConsensusSettingsPanel taskId={task.id} mayChange={rights?.change === true} />
          </Tabs.Panel>
        </PageTabs>
      )}
    </Page>
  );
}
