import { Text } from '@mantine/core';
import { unwrap } from 'cairn-client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { api } from '../../app/api';
import { ErrorPanel } from '../../components/error-panel';
import { Page } from '../../components/page';
import { PageLoader } from '../../components/page-loader';
import { displayName } from '../../components/person';

export function Component(): ReactNode {
  const id = Number(useParams()['jobId']);
  const {
    data: job,
    error,
    refetch,
  } = useQuery({
    queryKey: ['job', id],
    queryFn: async ({ signal }) => unwrap(await api.GET('/api/jobs/{id}', { params: { path: { id } }, signal })),
  });
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (job === undefined) return <PageLoader />;
  return (
    <Page title={`Job ${job.id}`}>
      <Text>
        Task {job.task_id}, frames {job.start_frame} to {job.stop_frame}, {job.stage}, {job.state}, assigned to{' '}
        {job.assignee === null ? 'nobody' : displayName(job.assignee)}
      </Text>
    </Page>
  );
}
