import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { api, type QualityReport, type Task } from '../../app/api';
import { EmptyState } from '../../components/empty-state';
import { lazyDialog } from '../../components/lazy-dialog';
import { Loaded } from '../../components/loaded';
import { TimeAgo } from '../../components/time-ago';
import { ConfusionTable } from './confusion-table';
import { CreateReportButton } from './create-report-button';
import { ByAnnotator, ByJob, ByLabel, ByTask, Trend } from './report-sections';
import { ReportSummary } from './report-summary';
import { useUsedSettings } from './settings-data';
import { type QualityTarget, useAnnotators, useChildReports, useReportDocument } from './target';

const GroundTruthDialog = lazyDialog(
  async () => (await import('../../components/task-data/ground-truth-dialog')).GroundTruthDialog,
);

interface ReportProps {
  readonly target: QualityTarget;
  /** Newest first. */
  readonly reports: readonly QualityReport[];
  /** The task that is the target. */
  readonly task?: Task;
}

/** The newest report, or what must be done before there can be one. */
export function Report({ target, reports, task }: ReportProps): ReactNode {
  const [newest] = reports;
  if (newest !== undefined) return <NewestReport target={target} report={newest} reports={reports} />;
  if (task !== undefined) return <FirstTaskReport target={target} task={task} />;
  return (
    <EmptyState
      icon="chart"
      title="No report yet"
      text="A report of a project adds up the newest reports of its tasks. Tasks need a completed ground truth job."
      action={<CreateReportButton target={target} />}
    />
  );
}

function FirstTaskReport({ target, task }: { readonly target: QualityTarget; readonly task: Task }): ReactNode {
  const [isAdding, setAdding] = useState(false);
  const query = useQuery({
    queryKey: ['jobs', 'ground-truth', task.id],
    queryFn: async ({ signal }) => {
      const parameters = { task_id: task.id, type: 'ground_truth', page_size: '1' } as never;
      return unwrap(await api.GET('/api/jobs', { params: { query: parameters }, signal })).results[0] ?? null;
    },
  });
  return (
    <Loaded query={query}>
      {(job) => {
        if (job === null)
          return (
            <>
              <EmptyState
                icon="chart"
                title="No ground truth yet"
                text="A report compares annotations with those of a ground truth job. Add one, annotate its frames, and complete it."
                action={<Button onClick={() => setAdding(true)}>Add ground truth job</Button>}
              />
              <GroundTruthDialog task={task} opened={isAdding} onClose={() => setAdding(false)} />
            </>
          );
        if (job.stage !== 'acceptance' || job.state !== 'completed')
          return (
            <EmptyState
              icon="chart"
              title="The ground truth is not finished"
              text={`Annotate job ${job.id}. Then set its stage to “acceptance” and its state to “completed” in the list of jobs.`}
              action={
                <>
                  <Button component={Link} to={`/jobs/${job.id}`}>
                    Open job {job.id}
                  </Button>
                  <Anchor component={Link} to={`/tasks/${task.id}`} size="sm">
                    View list of jobs
                  </Anchor>
                </>
              }
            />
          );
        return (
          <EmptyState
            icon="chart"
            title="No report yet"
            text="A report compares the annotations of all jobs with the ground truth."
            action={<CreateReportButton target={target} />}
          />
        );
      }}
    </Loaded>
  );
}

interface NewestReportProps {
  readonly target: QualityTarget;
  readonly report: QualityReport;
  readonly reports: readonly QualityReport[];
}

function NewestReport({ target, report, reports }: NewestReportProps): ReactNode {
  const settings = useUsedSettings(target);
  const document = useReportDocument(report);
  const jobs = useChildReports(report, 'job');
  const annotators = useAnnotators(report);
  const name = `${target.kind}-${target.id}`;
  return (
    <Stack gap="xl">
      <div>
        <ReportSummary report={report} settings={settings.data} />
        <Text size="sm" c="dimmed" mt="xs">
          Created <TimeAgo date={report.created_date} />.{' '}
          {document.data?.comparison_summary !== undefined &&
            document.data.parameters.inherited &&
            'It used the settings of the project. '}
          <Anchor href={`/api/quality/reports/${report.id}/data`} download={`quality-report-${report.id}.json`}>
            Download report as JSON
          </Anchor>
        </Text>
      </div>
      <Loaded query={document}>
        {({ comparison_summary: { annotations } }) => (
          <>
            <ByLabel matrix={annotations.confusion_matrix} settings={settings.data} fileName={`${name}-labels`} />
            <ConfusionTable matrix={annotations.confusion_matrix} fileName={`${name}-confusion`} />
          </>
        )}
      </Loaded>
      {target.kind === 'project' && <ByTask report={report} settings={settings.data} fileName={`${name}-tasks`} />}
      <Loaded query={jobs}>
        {(all) => <ByJob reports={all} settings={settings.data} fileName={`${name}-jobs`} />}
      </Loaded>
      <Loaded query={annotators}>
        {(rows) => <ByAnnotator rows={rows} settings={settings.data} fileName={`${name}-annotators`} />}
      </Loaded>
      <Trend reports={reports} settings={settings.data} fileName={`${name}-trend`} />
    </Stack>
  );
}
