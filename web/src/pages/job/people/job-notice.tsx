import { Alert, Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { api, type Job, type Presence } from '../../../app/api';
import { counted } from '../../../components/counted';
import { showProblem } from '../../../components/notify';
import { displayName } from '../../../components/person';
import { jobKey } from '../data/job-queries';
import { downloadUnsaved } from '../editing/download-unsaved';
import type { OpenSession } from '../editing/use-editing';
import classes from './people.module.css';

/** The page's own changes of the job arrive over the stream, too, possibly before their response. */
const OWN_CHANGE_MS = 1_500;
const NOT_FOUND = 404;

type PresentJob = NonNullable<Presence['job']>;

interface JobNoticeProps {
  readonly job: Job;
  readonly live: Presence;
  readonly session: OpenSession;
}

/** Says that somebody else has changed or deleted the job, and what happens to unsaved changes. */
export function JobNotice({ job, live, session }: JobNoticeProps): ReactNode {
  const { editor } = session;
  const [text, setText] = useState('');
  const gone = useGone(live.job === null, job.id, session);
  useChanges(job, live.job, (next) => setText(next));
  useSyncExternalStore(editor.subscribe, editor.version);
  const unsaved = editor.document.unsavedForStorage();
  const count = counted(unsaved.length, 'change is', 'changes are');
  if (gone !== undefined) {
    const isDeleted = gone === 'deleted';
    return (
      <Alert
        className={classes['notice'] ?? ''}
        color="red"
        variant="light"
        title={isDeleted ? 'This job was deleted' : 'You can no longer view this job'}
      >
        <Group justify="space-between">
          <Text size="sm">
            {!isDeleted && 'It was probably assigned to somebody else. '}
            {unsaved.length > 0 &&
              `${count} not saved. ${
                isDeleted
                  ? 'Download them if you need them.'
                  : 'Your browser keeps them, and saves them when you open the job after it is assigned to you again.'
              }`}
          </Text>
          {unsaved.length > 0 && (
            <Button
              size="xs"
              variant="default"
              onClick={() => downloadUnsaved(job.id, editor.document.unsavedForStorage(editor.unfinished.draft))}
            >
              Download unsaved changes
            </Button>
          )}
        </Group>
      </Alert>
    );
  }
  if (text === '') return null;
  return (
    <Alert
      className={classes['notice'] ?? ''}
      color="blue"
      variant="light"
      withCloseButton
      closeButtonLabel="Close"
      onClose={() => setText('')}
    >
      <Group justify="space-between">
        <Text size="sm">
          {text} {unsaved.length > 0 && `${count} not saved.`}
        </Text>
        {unsaved.length > 0 && (
          <Button size="xs" variant="default" onClick={() => void session.save().catch(showProblem)}>
            Save now
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** @returns why the job is gone; undefined as long as it is not, or until the reason is known */
function useGone(isGone: boolean, jobId: number, session: OpenSession): 'deleted' | 'forbidden' | undefined {
  const [reason, setReason] = useState<'deleted' | 'forbidden'>();
  useEffect(() => {
    if (!isGone) return;
    void api
      .GET('/api/jobs/{id}', { params: { path: { id: jobId } } })
      .then(({ response }) => setReason(response.status === NOT_FOUND ? 'deleted' : 'forbidden'))
      .catch(() => undefined); // the app says that the server cannot be reached
    // The attempt shows that nothing can be saved any more, and ends editing.
    void session.save().catch(() => undefined);
  }, [isGone, jobId, session]);
  return isGone ? reason : undefined;
}

/** Shows the changes of other users on the page, and describes them. */
function useChanges(job: Job, live: PresentJob | null, onChange: (text: string) => void): void {
  const client = useQueryClient();
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  const key = JSON.stringify([live?.stage, live?.state, live?.assignee?.id]);
  useEffect(() => {
    if (live === null) return undefined;
    const timer = setTimeout(() => {
      const known = client.getQueryData<Job>(jobKey(job.id)) ?? job;
      const text = changeText(known, live);
      if (text === '') return;
      client.setQueryData(jobKey(job.id), { ...known, ...live });
      latest.current(text);
    }, OWN_CHANGE_MS);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only changes of these values count
  }, [client, job.id, key]);
}

/** @returns sentences, or an empty text if nothing has changed */
export function changeText(before: Pick<Job, 'stage' | 'state' | 'assignee'>, after: PresentJob): string {
  const sentences = [
    ...(before.assignee?.id === after.assignee?.id
      ? []
      : [
          after.assignee === null
            ? 'This job is no longer assigned to anybody.'
            : `This job is now assigned to ${displayName(after.assignee)}.`,
        ]),
    ...(before.stage === after.stage ? [] : [`The stage of this job is now ${after.stage}.`]),
    ...(before.state === after.state ? [] : [`The state of this job is now ${after.state}.`]),
  ];
  return sentences.join(' ');
}
