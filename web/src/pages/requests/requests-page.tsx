import { Anchor, Button, Progress, Text } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { api, type BackgroundRequest, type ImportReport } from '../../app/api';
import { readable } from '../../app/readable';
import { downloadPath } from '../../app/watched-requests';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icons';
import { given, readPage, useListState } from '../../components/list-state';
import { ImportReportModal } from '../../components/import-report';
import { LinkedText } from '../../components/linked-text';
import { ListToolbar } from '../../components/list-toolbar';
import { useNames } from '../../components/names';
import { showProblem } from '../../components/notify';
import { Page } from '../../components/page';
import { PagedList } from '../../components/paged-list';
import { Status } from '../../components/status';
import { TimeAgo } from '../../components/time-ago';
import { restoredIdOf } from '../../app/restored';

const PAGE_SIZE = 25;
const POLL_MS = 2_000;
const STATUSES = ['queued', 'started', 'finished', 'failed'].map((value) => ({ value, label: value }));
const ACTIONS = ['create', 'export', 'import', 'calculate', 'merge'].map((value) => ({ value, label: value }));

export function Component(): ReactNode {
  const list = useListState('-created_date');
  const filters = { status: list.filter('status'), action: list.filter('action') };
  const query = useQuery({
    queryKey: ['requests', list.page, filters],
    queryFn: ({ signal }) =>
      readPage(list.page, PAGE_SIZE, async (page) => {
        const query = { page, page_size: String(PAGE_SIZE), ...given(filters) };
        return unwrap(await api.GET('/api/requests', { params: { query: query as never }, signal }));
      }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.results.some(isActive) === true ? POLL_MS : false),
  });
  return (
    <Page title="Requests" subtitle="Background operations of the server, such as exports and imports.">
      <ListToolbar
        list={list}
        what="requests"
        withSearch={false}
        filters={[
          { name: 'status', label: 'Status', options: STATUSES },
          { name: 'action', label: 'Type', options: ACTIONS },
        ]}
      />
      <PagedList
        query={query}
        list={list}
        pageSize={PAGE_SIZE}
        what="requests"
        empty={
          <EmptyState
            icon="request"
            title="No requests"
            text="Image processing, exports, imports and backups appear here with their progress and files to download."
          />
        }
      >
        {(requests) => <RequestTable requests={requests} />}
      </PagedList>
    </Page>
  );
}

const isActive = ({ status }: BackgroundRequest): boolean => status === 'queued' || status === 'started';

const TITLES: Readonly<Record<string, string>> = {
  'create:task': 'Image processing',
  'export:dataset': 'Export with images',
  'export:annotations': 'Export of annotations',
  'import:annotations': 'Import of annotations',
  'import:dataset': 'Import of a dataset',
  'export:backup': 'Backup',
  'import:backup': 'Restore from backup',
  'calculate:quality': 'Quality report',
  'calculate:agreement': 'Agreement of annotators',
  'autoannotate:task': 'Automatic annotation',
  'merge:task': 'Merge of replicas',
  'merge:job': 'Merge of replicas',
};

function RequestTable({ requests }: { readonly requests: readonly BackgroundRequest[] }): ReactNode {
  const of = (target: string): BackgroundRequest[] => requests.filter(({ operation }) => operation.target === target);
  const names = {
    project: useNames(
      'projects',
      of('project').map((request) => request.operation.project_id ?? restoredIdOf(request)),
    ),
    task: useNames(
      'tasks',
      of('task').map((request) => request.operation.task_id ?? restoredIdOf(request)),
    ),
  };
  return <DataTable rows={requests} columns={columnsOf(names)} keyOf={({ id }) => id} minWidth={640} />;
}

type Names = Readonly<Record<'project' | 'task', ReadonlyMap<number, string>>>;

const columnsOf = (names: Names): readonly Column<BackgroundRequest>[] => [
  {
    title: 'Operation',
    isText: true,
    cell: ({ operation: { type, format } }) => (
      <>
        <Text size="sm" fw={500}>
          {TITLES[type] ?? type}
        </Text>
        {format !== null && format !== undefined && (
          <Text size="xs" c="dimmed">
            {format}
          </Text>
        )}
      </>
    ),
  },
  {
    title: 'Object',
    isText: true,
    cell: (request) => <Target operation={request.operation} restoredId={restoredIdOf(request)} names={names} />,
  },
  { title: 'Status', isText: true, maxWidth: 360, cell: (request) => <RequestStatus request={request} /> },
  {
    title: 'Created',
    cell: ({ created_date: date }) => (
      <Text size="sm" c="dimmed">
        <TimeAgo date={date} />
      </Text>
    ),
  },
  { title: 'Actions', isActions: true, cell: (request) => <RequestActions request={request} /> },
];

function RequestStatus({ request }: { readonly request: BackgroundRequest }): ReactNode {
  const { id, status, progress } = request;
  const message = status === 'failed' ? readable(request.message) : request.message.trim();
  return (
    <>
      <Status value={status} />
      {status === 'started' && (
        <Progress mt={6} size="sm" animated striped value={100 * progress} aria-label={`Progress of ${id}`} />
      )}
      {message !== '' && (
        <Text size="xs" mt={4} c={status === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'}>
          <LinkedText text={message} />
        </Text>
      )}
    </>
  );
}

function RequestActions({ request }: { readonly request: BackgroundRequest }): ReactNode {
  const { result_url: url } = request;
  if (isActive(request)) return <CancelButton request={request} />;
  if (request.report) return <ReportButton report={request.report} />;
  if (url === null || url === undefined) return null;
  return (
    <Button
      component="a"
      href={downloadPath(url)}
      download
      size="xs"
      variant="default"
      leftSection={<Icon name="download" size={14} />}
    >
      Download
    </Button>
  );
}

interface TargetProps {
  readonly operation: BackgroundRequest['operation'];
  /** ID of the object that was restored from a backup. */
  readonly restoredId: number | null;
  readonly names: Names;
}

function Target({ operation, restoredId, names }: TargetProps): ReactNode {
  const { target, project_id: project, task_id: task, job_id: job } = operation;
  const id = target === 'events' ? null : ({ project, task, job }[target] ?? restoredId);
  if (target === 'events' || id === null || id === undefined) return <Text size="sm">{target}</Text>;
  return (
    <Anchor underline="hover" component={Link} to={`/${target}s/${id}`} size="sm" lineClamp={2}>
      {(target === 'job' ? undefined : names[target].get(id)) ?? `${target} ${id}`}
    </Anchor>
  );
}

function CancelButton({ request: { id } }: { readonly request: BackgroundRequest }): ReactNode {
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: async () => {
      unwrap(await api.POST('/api/requests/{id}/cancel', { params: { path: { id } } }));
    },
    onError: showProblem,
    onSettled: () => client.invalidateQueries({ queryKey: ['requests'] }),
  });
  return (
    <Button size="xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
      Cancel
    </Button>
  );
}

function ReportButton({ report }: { readonly report: ImportReport }): ReactNode {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpened(true)}>
        Show report
      </Button>
      <ImportReportModal report={report} opened={opened} onClose={() => setOpened(false)} />
    </>
  );
}
