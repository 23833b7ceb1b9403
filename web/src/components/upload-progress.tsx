import { Anchor, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { type Upload, uploads } from '../app/uploads';
import { fileSize } from './file-size';
import { Icon } from './icons';
import { LinkedText } from './linked-text';
import { counted } from './counted';
import { Link } from 'react-router';
import { restoredPath } from '../app/restored';

const ImportOutcome = lazy(async () => ({ default: (await import('./import-outcome')).ImportOutcome }));

/** The progress of an upload, with buttons to pause, resume or cancel it. */
export function UploadProgressPanel({ upload }: { readonly upload: Upload }): ReactNode {
  const { key, purpose, state, problem, sentBytes, totalBytes, request } = upload;
  const sent = totalBytes === 0 ? 100 : (100 * sentBytes) / totalBytes;
  const processed = 100 * (request?.progress ?? 0);
  const restored = request === null ? null : restoredPath(request);
  const isSending = state === 'sending' || state === 'paused' || state === 'broken';
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600} aria-live="polite">
          {describe(upload)}
        </Text>
        {isSending && (
          <Text size="sm" c="dimmed">
            {fileSize(sentBytes)} of {fileSize(totalBytes)}, {counted(upload.files, 'file')}
          </Text>
        )}
      </Group>
      {state !== 'failed' && (
        <Progress
          value={isSending ? sent : state === 'done' ? 100 : processed}
          striped={state === 'processing'}
          animated={state === 'sending' || state === 'processing'}
          color={state === 'broken' ? 'orange' : state === 'paused' ? 'gray' : state === 'done' ? 'teal' : 'slate'}
          aria-label={isSending ? 'Upload progress' : 'Processing progress'}
        />
      )}
      {state === 'done' && restored !== null && (
        <Anchor component={Link} to={restored} size="sm">
          {restored.startsWith('/projects') ? 'Open project' : 'Open task'}
        </Anchor>
      )}
      {purpose === 'import' && request?.report && (
        <Suspense>
          <ImportOutcome upload={upload} report={request.report} />
        </Suspense>
      )}
      {problem !== null && state !== 'broken' && (
        <div role="alert">
          <Text size="sm" fw={600} c="red">
            {problem.title}
          </Text>
          <Text size="sm">
            <LinkedText text={problem.text} />
          </Text>
        </div>
      )}
      <Group gap="xs">
        {state === 'sending' && (
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="pause" size={14} />}
            onClick={() => uploads.pause(key)}
          >
            Pause
          </Button>
        )}
        {(state === 'paused' || state === 'broken') && (
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="play" size={14} />}
            onClick={() => uploads.resume(key)}
          >
            Resume
          </Button>
        )}
        {state === 'paused' && (
          <Button size="xs" variant="subtle" color="red" onClick={() => uploads.remove(key)}>
            Cancel upload
          </Button>
        )}
      </Group>
    </Stack>
  );
}

const RESULTS = {
  frames: { done: 'The files have been added to the task', failed: 'The files could not be processed' },
  import: { done: 'The file has been imported', failed: 'The file could not be imported' },
  check: { done: 'The file has been checked', failed: 'The file could not be checked' },
  restore: { done: 'The backup has been restored', failed: 'The backup could not be restored' },
} as const;

function describe({ state, purpose, files, request, problem }: Upload): string {
  if (state === 'sending') return files === 1 ? 'Uploading the file' : 'Uploading the files';
  if (state === 'paused') return problem === null ? 'Paused' : 'Stopped';
  if (state === 'broken') return `${problem?.title ?? 'The connection was lost'}. The upload resumes automatically`;
  if (state === 'done' || state === 'failed') return RESULTS[purpose][state];
  return request?.message.trim() || 'The server is processing the files';
}
