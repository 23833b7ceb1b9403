import { Button, Group, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useEffect, useRef } from 'react';
import { api } from '../../../app/api';
import { useDraft } from '../../../app/drafts';
import { ErrorPanel } from '../../../components/error-panel';
import { submitOnCtrlEnter } from '../../../components/submitting';
import { issuesKey } from '../data/queries';
import type { Review, Step } from '../data/review';
import classes from './issues-panel.module.css';

interface IssueDraftProps {
  readonly jobId: number;
  readonly draft: NonNullable<Review['draft']>;
  readonly organization: string;
  readonly onStep: (step: Step) => void;
}

/** The first comment of a new issue. The text is kept if saving fails. */
export function IssueDraft({ jobId, draft, organization, onStep }: IssueDraftProps): ReactNode {
  const client = useQueryClient();
  const [message, setMessage, forget] = useDraft(`issue in job ${jobId}`, '');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), [draft]);
  const create = useMutation({
    mutationFn: async () =>
      unwrap(
        await api.POST('/api/issues', {
          body: { job: jobId, frame: draft.frame, position: [...draft.position], message },
          headers: { 'X-Organization': organization },
        }),
      ),
    onSuccess: async ({ id }) => {
      forget();
      await client.invalidateQueries({ queryKey: issuesKey(jobId) });
      onStep({ do: 'end-draft', created: id });
    },
  });
  const cancel = (): void => {
    forget();
    onStep({ do: 'end-draft' });
  };
  return (
    <form
      className={classes['draft']}
      aria-label="New issue"
      onSubmit={(event) => {
        event.preventDefault();
        if (message.trim() !== '' && !create.isPending) create.mutate();
      }}
    >
      <Text size="sm" fw={650}>
        New issue on frame {draft.frame}
      </Text>
      <Textarea
        autosize
        minRows={2}
        maxRows={8}
        ref={field}
        aria-label="What is wrong here?"
        placeholder="What is wrong here?"
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && message === '') cancel();
          submitOnCtrlEnter(event);
        }}
      />
      {create.error !== null && <ErrorPanel error={create.error} />}
      <Group justify="flex-end" gap={8}>
        <Button size="xs" variant="default" onClick={cancel}>
          Cancel
        </Button>
        <Button size="xs" type="submit" loading={create.isPending} disabled={message.trim() === ''}>
          Create issue
        </Button>
      </Group>
    </form>
  );
}
