import { Anchor, Badge, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { QualityConflict, QualityReport } from '../../app/api';
import { CONFLICTS } from '../../components/conflict-types';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { pageOf, useListState } from '../../components/list-state';
import { ListToolbar } from '../../components/list-toolbar';
import { Loaded } from '../../components/loaded';
import { PagedList } from '../../components/paged-list';
import { useChildReports } from './target';

const PAGE_SIZE = 25;
const BY_FRAME = 'frame,id';
const SORTS = [
  { value: BY_FRAME, label: 'Frame' },
  { value: 'type,frame,id', label: 'Type' },
  { value: 'severity,frame,id', label: 'Severity' },
];
const TYPES = Object.entries(CONFLICTS).map(([value, { title }]) => ({ value, label: title }));
const SEVERITIES = ['error', 'warning'].map((value) => ({ value, label: value }));

/** The conflicts of a report. Each opens on its frame. */
export function ConflictList({ report }: { readonly report: QualityReport }): ReactNode {
  const jobs = useChildReports(report, 'job');
  return <Loaded query={jobs}>{(reports) => <Conflicts report={report} jobs={reports} />}</Loaded>;
}

interface ConflictsProps {
  readonly report: QualityReport;
  /** The reports of its jobs. */
  readonly jobs: readonly QualityReport[];
}

function Conflicts({ report, jobs }: ConflictsProps): ReactNode {
  const list = useListState(BY_FRAME);
  const selectedJob = jobs.find(({ job_id: id }) => String(id) === list.filter('job'));
  const query = useQuery(
    pageOf('/api/quality/conflicts', list, {
      pageSize: PAGE_SIZE,
      filters: ['type', 'severity'],
      within: { report_id: selectedJob?.id ?? report.id },
    }),
  );
  const jobOf = new Map(jobs.map((each) => [each.id, each.job_id]));
  return (
    <>
      <ListToolbar
        list={list}
        what="conflicts"
        withSearch={false}
        sorts={SORTS}
        filters={[
          { name: 'type', label: 'Type', options: TYPES },
          { name: 'severity', label: 'Severity', options: SEVERITIES },
        ]}
      >
        <Select
          label="Job"
          size="sm"
          w={150}
          placeholder="Any"
          clearable
          searchable
          data={jobs.map(({ job_id: id }) => ({ value: String(id), label: `Job ${id}` }))}
          value={list.filter('job') || null}
          onChange={(value) => list.set({ job: value ?? '' })}
        />
      </ListToolbar>
      <PagedList
        query={query}
        list={list}
        pageSize={PAGE_SIZE}
        what="conflicts"
        empty={<EmptyState icon="check" title="No conflicts" text="The annotations match the ground truth." />}
      >
        {(conflicts) => <DataTable rows={conflicts} columns={columnsOf(jobOf)} keyOf={({ id }) => id} minWidth={680} />}
      </PagedList>
    </>
  );
}

const columnsOf = (jobOf: ReadonlyMap<number, number | null>): readonly Column<QualityConflict>[] => [
  {
    title: 'Conflict',
    cell: ({ type }) => (
      <>
        <Text size="sm" fw={500}>
          {CONFLICTS[type].title}
        </Text>
        <Text size="xs" c="dimmed">
          {CONFLICTS[type].text}
        </Text>
      </>
    ),
  },
  {
    title: 'Severity',
    cell: ({ severity }) => (
      <Badge className="status" variant="light" color={severity === 'error' ? 'red' : 'yellow'} radius="sm" tt="none">
        {severity}
      </Badge>
    ),
  },
  {
    title: 'Objects',
    cell: ({ annotation_ids: objects }) =>
      objects.map(({ shape_type: shape, type, obj_id: id }) => `${shape ?? type} ${id}`).join(', '),
  },
  { title: 'Job', cell: ({ report_id: report }) => `Job ${jobOf.get(report) ?? '?'}` },
  { title: 'Frame', cell: ({ frame }) => frame.toLocaleString('en') },
  {
    title: 'Actions',
    isActions: true,
    cell: ({ id, frame, report_id: report }) => {
      const job = jobOf.get(report);
      return (
        job != null && (
          <Anchor
            size="sm"
            component={Link}
            to={`/jobs/${job}?mode=review&frame=${frame}&conflict=${id}`}
            aria-label={`Show conflict ${id} on frame ${frame} of job ${job}`}
          >
            Show
          </Anchor>
        )
      );
    },
  },
];
