import { Alert, Button, Progress, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { readable } from '../../app/readable';
import { showProblem, showSuccess } from '../notify';
import { isRunActive, lacksAgent, type Model, type ModelRun } from './model';
import { cancelRun, readRunOf } from './model-requests';
import { modelsQuery } from './models-query';
import classes from './models.module.css';

const POLL_MS = 2_000;
const AGENTS_MS = 5_000;

/** The key of the query for the run of a task. */
export const runKey = (taskId: number) => ['model-run', taskId] as const;

interface RunProgressProps {
  readonly taskId: number;
  /** Only runs that annotate this job. */
  readonly jobId?: number;
}

/** Shows the progress of a detector that annotates the task, whoever started it, until it ends. */
export function RunProgress({ taskId, jobId }: RunProgressProps): ReactNode {
  const client = useQueryClient();
  const key = runKey(taskId);
  const { data: run } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => readRunOf(taskId, client.getQueryData<ModelRun | null>(key), signal),
    refetchInterval: ({ state }) => (state.data && isRunActive(state.data) ? POLL_MS : false),
  });
  const isQueued = run?.status === 'queued';
  const { data: models } = useQuery({ ...modelsQuery, enabled: isQueued, staleTime: 0, refetchInterval: AGENTS_MS });
  const model = models?.find(({ id }) => id === run?.function.id);
  const dismiss = (): void => client.setQueryData(key, null) as undefined;
  const cancel = useMutation({
    mutationFn: () => cancelRun(run?.id ?? ''),
    onSuccess: () => {
      dismiss();
      showSuccess('Automatic annotation cancelled.');
    },
    onError: showProblem,
  });
  const isFinished = run?.status === 'finished';
  useEffect(() => {
    if (!isFinished) return;
    client.setQueryData(runKey(taskId), null);
    showSuccess('Automatic annotation finished.');
    for (const name of ['task', 'tasks', 'jobs']) void client.invalidateQueries({ queryKey: [name] });
  }, [client, isFinished, taskId]);
  const isOther = jobId !== undefined && run?.function.job !== undefined && run.function.job !== jobId;
  if (!run || isFinished || isOther) return null;
  if (!isRunActive(run)) {
    return (
      <Alert
        color="red"
        variant="light"
        mb="md"
        title="Automatic annotation failed"
        withCloseButton
        closeButtonLabel="Dismiss"
        onClose={dismiss}
      >
        {readable(run.exc_info ?? '') || 'The server gave no reason.'}
      </Alert>
    );
  }
  const percent = Math.round(run.progress ?? 0);
  return (
    <div className={`panel ${classes['run'] ?? ''}`} role="status" aria-label="Automatic annotation">
      <Text size="sm">{isQueued ? queuedText(model) : 'Annotating automatically'}</Text>
      <Progress size="sm" animated striped value={percent} aria-label="Progress of the automatic annotation" />
      {!isQueued && <Text size="sm">{percent} %</Text>}
      <Button size="compact-sm" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
        Cancel
      </Button>
    </div>
  );
}

const queuedText = (model: Model | undefined): string =>
  model !== undefined && lacksAgent(model) ? 'Waiting for an agent' : 'Automatic annotation is queued';
