import { Anchor, Select, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { Link, useParams } from 'react-router';
import { type Activity, api, type Project } from '../../app/api';
import { type DataColumn, DataSection } from '../../components/charts';
import { Crumbs } from '../../components/crumbs';
import { DayInputs } from '../../components/day-inputs';
import { EmptyState } from '../../components/empty-state';
import { InItsOrganization } from '../../components/in-its-organization';
import { given, useListState } from '../../components/list-state';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { displayName } from '../../components/person';
import { useProjectRights } from '../../components/rights';
import { readProject } from '../../components/tagged';
import { TimeAgo } from '../../components/time-ago';
import { Tiles } from '../../components/tiles';
import { Days, People } from './activity-sections';
import { FIGURES, type FigureName } from './figures';

const IDLE_DAYS = ['3', '7', '14', '30'].map((days) => ({ value: days, label: `${days} days` }));
const DEFAULT_IDLE_DAYS = '7';

/** Who did how much in a project, and what stands still. */
export function Component(): ReactNode {
  const id = Number(useParams()['projectId']);
  const query = useQuery({ queryKey: ['project', id], queryFn: ({ signal }) => readProject(id, signal) });
  return (
    <Loaded query={query} pageTitle="Activity">
      {({ value: project }) => (
        <InItsOrganization key={id} id={project.organization}>
          <ProjectActivity project={project} />
        </InItsOrganization>
      )}
    </Loaded>
  );
}

function ProjectActivity({ project }: { readonly project: Project }): ReactNode {
  const rights = useProjectRights(project);
  const state = useListState('');
  const range = { from: state.filter('from'), to: state.filter('to'), idle_days: state.filter('idle_days') };
  const query = useQuery({
    queryKey: ['activity', project.id, range],
    queryFn: async ({ signal }) => {
      const params = { path: { id: project.id }, query: given(range) as never };
      return unwrap(await api.GET('/api/projects/{id}/activity', { params, signal }));
    },
    enabled: rights?.viewActivity === true,
    placeholderData: keepPreviousData,
  });
  const crumbs = [
    { to: '/projects', title: 'Projects' },
    { to: `/projects/${project.id}`, title: project.name },
  ];
  return (
    <Page
      title="Activity"
      above={<Crumbs crumbs={crumbs} />}
      subtitle="The work in this project by day and by person. Days are in UTC."
    >
      {rights?.viewActivity === false ? (
        <EmptyState
          icon="chart"
          title="No permission"
          text="The activity is visible to the owner and the assignee of the project, and to maintainers of its organization."
        />
      ) : (
        <>
          <div className="toolbar">
            <DayInputs
              from={range.from || (query.data?.from ?? '')}
              to={range.to || (query.data?.to ?? '')}
              onChange={state.set}
            />
            <Select
              label="Idle after"
              size="sm"
              w={130}
              allowDeselect={false}
              data={IDLE_DAYS}
              value={range.idle_days || DEFAULT_IDLE_DAYS}
              onChange={(value) => state.set({ idle_days: value === DEFAULT_IDLE_DAYS ? '' : (value ?? '') })}
            />
          </div>
          <Loaded query={query}>
            {(activity) => (
              <div aria-busy={query.isPlaceholderData} style={{ opacity: query.isPlaceholderData ? 0.6 : 1 }}>
                <Figures activity={activity} fileName={`project-${project.id}`} />
              </div>
            )}
          </Loaded>
        </>
      )}
    </Page>
  );
}

interface FiguresProps {
  readonly activity: Activity;
  readonly fileName: string;
}

function Figures({ activity, fileName }: FiguresProps): ReactNode {
  const [figure, setFigure] = useState<FigureName>('frames');
  const { total, open_issues: issues, idle_job_count: idle, idle_days: idleDays } = activity;
  return (
    <Stack gap="xl">
      <Tiles
        tiles={[
          ...FIGURES.map(({ title, text, of, format }) => {
            const value = of(total);
            return { title, value: value === null ? '–' : format(value), text };
          }),
          { title: 'Open issues', value: issues.toLocaleString('en'), text: 'not resolved now' },
          { title: 'Idle jobs', value: idle.toLocaleString('en'), text: `in progress, unchanged for ${idleDays} days` },
        ]}
      />
      <Select
        label="Figure in the charts"
        w={240}
        allowDeselect={false}
        data={FIGURES.map(({ name, title }) => ({ value: name, label: title }))}
        value={figure}
        onChange={(value) => setFigure(value ?? 'frames')}
      />
      <Days days={activity.days} figure={figure} fileName={`${fileName}-days`} />
      <People people={activity.users} figure={figure} fileName={`${fileName}-people`} />
      <IdleJobs activity={activity} fileName={`${fileName}-idle-jobs`} />
      <Text size="sm" c="dimmed">
        The figures come from the event log of the server. They begin when the server began to record it, and end with
        its retention period.
      </Text>
    </Stack>
  );
}

const IDLE_JOB_COLUMNS: readonly DataColumn<Activity['idle_jobs'][number]>[] = [
  {
    title: 'Job',
    value: ({ id }) => id,
    show: ({ id }) => (
      <Anchor underline="hover" size="sm" component={Link} to={`/jobs/${id}`}>
        Job {id}
      </Anchor>
    ),
  },
  { title: 'Task', value: ({ task_name: name }) => name, isText: true },
  {
    title: 'Assignee',
    value: ({ assignee }) => (assignee === null ? null : displayName(assignee)),
    isText: true,
  },
  { title: 'Stage', value: ({ stage }) => stage },
  {
    title: 'Last change',
    value: ({ updated_date: date }) => date,
    show: ({ updated_date: date }) => <TimeAgo date={date} />,
  },
];

function IdleJobs({ activity, fileName }: FiguresProps): ReactNode {
  const { idle_jobs: jobs, idle_job_count: count, idle_days: days } = activity;
  return (
    <DataSection
      title="Idle jobs"
      text={
        count > jobs.length
          ? `The ${jobs.length} that have been idle for longest, of ${count.toLocaleString('en')}.`
          : `Jobs in progress that have not changed for ${days} days, the longest idle first.`
      }
      rows={jobs}
      columns={IDLE_JOB_COLUMNS}
      keyOf={({ id }) => id}
      minWidth={620}
      fileName={fileName}
      empty="No idle jobs."
    />
  );
}
