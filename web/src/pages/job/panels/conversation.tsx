import { Button, Group, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api, type Issue } from '../../../app/api';
import { useDraft } from '../../../app/drafts';
import { ConfirmButton } from '../../../components/confirm';
import { ErrorPanel } from '../../../components/error-panel';
import { showProblem } from '../../../components/notify';
import { displayName } from '../../../components/person';
import { submitOnCtrlEnter } from '../../../components/submitting';
import { TimeAgo } from '../../../components/time-ago';
import { commentsKey, issuesKey, type Surroundings, useComments } from '../data/queries';
import type { Step } from '../data/review';
import classes from './issues-panel.module.css';

interface ConversationProps {
  readonly issue: Issue;
  readonly surroundings: Surroundings | undefined;
  readonly onStep: (step: Step) => void;
}

/** The comments and actions of an issue. */
export function Conversation({ issue, surroundings, onStep }: ConversationProps): ReactNode {
  const client = useQueryClient();
  const { data: comments = [], error } = useComments(issue);
  const [message, setMessage] = useDraft(`comment on issue ${issue.id}`, '');
  const { rights, organization = '' } = surroundings ?? {};
  const refresh = async (): Promise<void> => {
    await Promise.all([
      client.invalidateQueries({ queryKey: issuesKey(issue.job) }),
      client.invalidateQueries({ queryKey: commentsKey(issue.id) }),
    ]);
  };
  const comment = useMutation({
    mutationFn: async () =>
      unwrap(
        await api.POST('/api/comments', {
          body: { issue: issue.id, message },
          headers: { 'X-Organization': organization },
        }),
      ),
    onSuccess: async () => {
      setMessage('');
      await refresh();
    },
    onError: showProblem,
  });
  const resolve = useMutation({
    mutationFn: async (resolved: boolean) =>
      unwrap(await api.PATCH('/api/issues/{id}', { params: { path: { id: issue.id } }, body: { resolved } })),
    onSuccess: refresh,
    onError: showProblem,
  });
  const removeComment = useMutation({
    mutationFn: async (id: number) => {
      unwrap(await api.DELETE('/api/comments/{id}', { params: { path: { id } } }));
    },
    onSuccess: refresh,
    onError: showProblem,
  });
  const remove = async (): Promise<void> => {
    unwrap(await api.DELETE('/api/issues/{id}', { params: { path: { id: issue.id } } }));
    onStep({ do: 'open-issue', id: null });
    await refresh();
  };
  return (
    <div className={classes['conversation']}>
      {error !== null && <ErrorPanel error={error} />}
      <ol className={classes['comments']} aria-label={`Comments of issue ${issue.id}`}>
        {comments.map((entry) => (
          <li key={entry.id}>
            <Group gap={6} justify="space-between" wrap="nowrap">
              <Text size="xs" fw={650}>
                {entry.owner === null ? 'Deleted user' : displayName(entry.owner)}{' '}
                <Text span size="xs" c="dimmed" fw={400}>
                  <TimeAgo date={entry.created_date} />
                </Text>
              </Text>
              {rights?.deleteComment(issue, entry) === true && comments.length > 1 && (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="gray"
                  aria-label={`Delete comment "${entry.message.slice(0, 40)}"`}
                  loading={removeComment.isPending && removeComment.variables === entry.id}
                  onClick={() => removeComment.mutate(entry.id)}
                >
                  Delete
                </Button>
              )}
            </Group>
            <Text size="sm" className={classes['message']}>
              {entry.message}
            </Text>
          </li>
        ))}
      </ol>
      {rights?.comment(issue) === true && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (message.trim() !== '' && !comment.isPending) comment.mutate();
          }}
        >
          <Textarea
            autosize
            minRows={1}
            maxRows={6}
            size="xs"
            aria-label={`Comment on issue ${issue.id}`}
            placeholder="Write a comment"
            value={message}
            onChange={(event) => setMessage(event.currentTarget.value)}
            onKeyDown={submitOnCtrlEnter}
          />
          {message.trim() !== '' && (
            <Button size="xs" mt={6} type="submit" loading={comment.isPending}>
              Comment
            </Button>
          )}
        </form>
      )}
      <Group gap={8}>
        {rights?.changeIssue(issue) === true && (
          <Button
            size="xs"
            variant={issue.resolved ? 'default' : 'filled'}
            loading={resolve.isPending}
            onClick={() => resolve.mutate(!issue.resolved)}
          >
            {issue.resolved ? 'Reopen' : 'Resolve'}
          </Button>
        )}
        {rights?.deleteIssue(issue) === true && (
          <ConfirmButton
            title={`Delete issue ${issue.id}?`}
            text="This also deletes its comments. This cannot be undone."
            action="Delete issue"
            onConfirm={remove}
          >
            Delete
          </ConfirmButton>
        )}
      </Group>
    </div>
  );
}
