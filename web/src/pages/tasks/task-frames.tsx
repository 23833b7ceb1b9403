import { Alert, Button, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrap, type UploadFile } from 'cairn-client';
import { type ReactNode, useEffect, useState } from 'react';
import { api, type Task } from '../../app/api';
import { removeDraft, useDraft } from '../../app/drafts';
import { readable } from '../../app/readable';
import { framesOf, uploads, useUpload } from '../../app/uploads';
import {
  countOf,
  DataSettingsForm,
  DataSourceForm,
  DEFAULT_SETTINGS,
  type FramesDraft,
  framesDraftOf,
  framesPlan,
  NO_SOURCE,
} from '../../components/task-data';
import { UploadProgressPanel } from '../../components/upload-progress';

const POLL_MS = 1_500;

interface TaskFramesProps {
  readonly task: Task;
  readonly onReload: () => Promise<unknown>;
}

/** The state of a task's images: uploading, processing, failed or missing. Hidden once the task has frames. */
export function TaskFrames({ task, onReload }: TaskFramesProps): ReactNode {
  const upload = useUpload(framesOf(task.id));
  const hasFrames = (task.size ?? 0) > 0;
  const creation = useCreation(task.id, !hasFrames && upload === undefined);
  const isReady = upload?.state === 'done' || creation?.status === 'finished';
  useEffect(() => {
    if (isReady && !hasFrames) void onReload();
    if (isReady && hasFrames) {
      uploads.remove(framesOf(task.id));
      removeDraft(framesDraftOf(task.id));
    }
  }, [isReady, hasFrames, onReload, task.id]);
  if (hasFrames) return null;
  if (upload !== undefined && upload.state !== 'failed') {
    return (
      <div className="panel panel--padded">
        <UploadProgressPanel upload={upload} />
      </div>
    );
  }
  if (creation?.status === 'queued' || creation?.status === 'started') {
    return (
      <div className="panel panel--padded">
        <Text size="sm" fw={600} mb="xs" aria-live="polite">
          {creation.message.trim() ||
            (creation.status === 'queued' ? 'The files are queued' : 'The server is processing the files')}
        </Text>
        <Progress value={100 * creation.progress} striped animated aria-label="Processing progress" />
      </div>
    );
  }
  const failure = upload?.problem?.text ?? (creation?.status === 'failed' ? readable(creation.message) : null);
  return <UploadFiles task={task} failure={failure} />;
}

/** The background request that processes the files of a task, even if another page or user sent them. */
function useCreation(taskId: number, enabled: boolean) {
  const { data } = useQuery({
    queryKey: ['requests', 'creation', taskId],
    queryFn: async ({ signal }) => {
      const query = { task_id: taskId, action: 'create', target: 'task', page_size: '1' };
      return unwrap(await api.GET('/api/requests', { params: { query: query as never }, signal })).results[0] ?? null;
    },
    enabled,
    refetchInterval: ({ state }) =>
      state.data?.status === 'queued' || state.data?.status === 'started' ? POLL_MS : false,
  });
  return enabled ? data : null;
}

const EMPTY: FramesDraft = { source: NO_SOURCE, settings: DEFAULT_SETTINGS };

function UploadFiles({ task, failure }: { readonly task: Task; readonly failure: string | null }): ReactNode {
  const [files, setFiles] = useState<readonly UploadFile[]>([]);
  const [draft, setDraft] = useDraft(framesDraftOf(task.id), EMPTY);
  const set = (part: Partial<FramesDraft>): void => setDraft((before) => ({ ...before, ...part }));
  const { source, settings } = draft;
  return (
    <Stack>
      {failure !== null && (
        <Alert
          color="red"
          variant="light"
          title="The files could not be processed"
          role="alert"
          className="error-panel"
        >
          {failure} Select other files or change the settings.
        </Alert>
      )}
      <div className="panel panel--padded">
        <Text size="sm" mb="md">
          This task has no frames yet. Select all of its files, because you cannot add files later.
        </Text>
        <DataSourceForm source={source} onChange={(next) => set({ source: next })} files={files} onFiles={setFiles} />
      </div>
      <DataSettingsForm settings={settings} onChange={(next) => set({ settings: next })} dataOnly />
      <Button
        w="fit-content"
        disabled={countOf(source, files) === 0}
        onClick={() => uploads.start(framesPlan(task, source, files, settings))}
      >
        {source.location === 'computer' ? 'Upload files' : 'Create frames'}
      </Button>
    </Stack>
  );
}
