import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { Key, ReactNode } from 'react';
import { type Agreement as AgreementResult, api, type Task } from '../../app/api';
import { Chart, type DataColumn, DataSection, formatNumber, formatShare } from '../../components/charts';
import { EmptyState } from '../../components/empty-state';
import { ifAllowed } from '../../components/if-allowed';
import { Loaded } from '../../components/loaded';
import { RequestButton } from '../../components/request-button';
import { Tiles } from '../../components/tiles';
import { TimeAgo } from '../../components/time-ago';

type Measured = AgreementResult['total'];
type Annotator = AgreementResult['pairs'][number]['annotators'][number];

/** How far the annotators of the replicas agree. */
export function Agreement({ task }: { readonly task: Task }): ReactNode {
  const key = ['agreement', task.id];
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      ifAllowed(api.GET('/api/tasks/{id}/agreement', { params: { path: { id: task.id } }, signal }).then(unwrap)),
  });
  const button = (
    <RequestButton
      title="Calculate agreement"
      busyTitle="The agreement is being calculated"
      what={`Agreement in ${task.name}`}
      done="The agreement is calculated."
      requestId={`action=calculate&target=task&target_id=${task.id}&subresource=agreement`}
      results={key}
      start={async () => unwrap(await api.POST('/api/tasks/{id}/agreement', { params: { path: { id: task.id } } }))}
    />
  );
  return (
    <Loaded query={query}>
      {(agreement) =>
        agreement === null ? (
          <EmptyState
            icon="chart"
            title="Not calculated yet"
            text="The agreement compares the replicas of each job with each other. At least one job needs two replicas that somebody has worked on."
            action={button}
          />
        ) : (
          <Result agreement={agreement} button={button} />
        )
      }
    </Loaded>
  );
}

const share = (value: number | null): string => (value === null ? '–' : formatShare(value));
const kappa = (value: number | null): string =>
  value === null ? '–' : value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const nameOf = ({ id, username, job_id: job }: Annotator): string =>
  id === null ? `Replica ${job}` : (username ?? `User ${id}`);

interface ResultProps {
  readonly agreement: AgreementResult;
  readonly button: ReactNode;
}

function Result({ agreement, button }: ResultProps): ReactNode {
  const { task_id: taskId, created_date: date, iou_threshold: threshold, total, pairs, labels, jobs } = agreement;
  return (
    <Stack gap="xl">
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" maw={760}>
          Calculated <TimeAgo date={date} />. Two shapes with the same label match if their overlap is at least{' '}
          {formatNumber(threshold)}. Kappa measures the agreement about tags beyond what chance would give: 1 is full
          agreement, 0 is no better than chance. It is undefined if all decisions are the same.
        </Text>
        {button}
      </Group>
      <Tiles
        tiles={[
          { title: 'Matched shapes', value: share(total.shapes.matched_share), text: 'have a partner in a pair' },
          { title: 'Mean IoU', value: share(total.shapes.mean_iou), text: 'overlap of matched shapes' },
          { title: 'Fleiss’ kappa', value: kappa(total.tags.kappa), text: 'agreement about tags, of all annotators' },
          { title: 'Equal tag decisions', value: share(total.tags.agreed_share), text: 'of pairs of annotators' },
        ]}
      />
      <AgreementSection
        title="By pair of annotators"
        first="Annotators"
        kappaTitle="Cohen’s kappa"
        rows={pairs}
        nameOf={({ annotators }) => annotators.map(nameOf).join(' and ')}
        keyOf={({ annotators }) => annotators.map(nameOf).join(' ')}
        fileName={`task-${taskId}-agreement-pairs`}
      />
      <AgreementSection
        title="By label"
        first="Label"
        kappaTitle="Fleiss’ kappa"
        rows={labels}
        nameOf={({ name }) => name}
        keyOf={({ label_id: id }) => id}
        fileName={`task-${taskId}-agreement-labels`}
      />
      <AgreementSection
        title="By job"
        first="Job"
        kappaTitle="Fleiss’ kappa"
        rows={jobs}
        nameOf={({ job_id: id }) => `Job ${id}`}
        keyOf={({ job_id: id }) => id}
        fileName={`task-${taskId}-agreement-jobs`}
      />
    </Stack>
  );
}

const MAX_BARS = 15;

interface AgreementSectionProps<Row extends Measured> {
  readonly title: string;
  /** Title of the first column. */
  readonly first: string;
  readonly kappaTitle: string;
  readonly rows: readonly Row[];
  readonly nameOf: (row: Row) => string;
  readonly keyOf: (row: Row) => Key;
  readonly fileName: string;
}

function AgreementSection<Row extends Measured>(props: AgreementSectionProps<Row>): ReactNode {
  const { title, first, kappaTitle, rows, nameOf: name, keyOf, fileName } = props;
  const charted = rows.slice(0, MAX_BARS);
  return (
    <DataSection
      title={title}
      text={rows.length > MAX_BARS ? `The chart shows the first ${MAX_BARS} rows of the table.` : undefined}
      rows={rows}
      columns={[{ title: first, value: name, isText: true }, ...MEASURES, kappaColumn(kappaTitle)]}
      keyOf={keyOf}
      minWidth={680}
      fileName={fileName}
      chart={
        <Chart
          kind="bars"
          label={`Agreement ${title.toLowerCase()}. The table has the numbers.`}
          categories={charted.map(name)}
          series={[
            { title: 'Matched shapes', values: charted.map(({ shapes }) => shapes.matched_share) },
            { title: 'Mean IoU', values: charted.map(({ shapes }) => shapes.mean_iou) },
            {
              title: `${kappaTitle}, if positive`,
              values: charted.map(({ tags }) => (tags.kappa === null ? null : Math.max(0, tags.kappa))),
            },
          ]}
          max={1}
          format={formatShare}
        />
      }
      empty="Nothing was compared."
    />
  );
}

const MEASURES: readonly DataColumn<Measured>[] = [
  { title: 'Shapes', value: ({ shapes }) => shapes.objects },
  {
    title: 'Matched',
    value: ({ shapes }) => shapes.matched_share,
    show: ({ shapes }) => share(shapes.matched_share),
  },
  { title: 'Mean IoU', value: ({ shapes }) => shapes.mean_iou, show: ({ shapes }) => share(shapes.mean_iou) },
  { title: 'Tag decisions', value: ({ tags }) => tags.decisions },
  { title: 'Equal', value: ({ tags }) => tags.agreed_share, show: ({ tags }) => share(tags.agreed_share) },
];

const kappaColumn = (title: string): DataColumn<Measured> => ({
  title,
  value: ({ tags }) => tags.kappa,
  show: ({ tags }) => kappa(tags.kappa),
});
