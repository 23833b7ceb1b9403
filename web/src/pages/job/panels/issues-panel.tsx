import { Badge, Button, Checkbox, Group, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CairnError, unwrap } from 'cairn-client';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { api, type Issue } from '../../../app/api';
import { Confirm } from '../../../components/confirm';
import { ErrorPanel } from '../../../components/error-panel';
import { showProblem } from '../../../components/notify';
import { displayName } from '../../../components/person';
import { TimeAgo } from '../../../components/time-ago';
import { commentsKey, issuesKey, type Surroundings, useComments } from '../data/queries';
import type { Review, Step } from '../data/review';
import classes from '../job-page.module.css';

interface IssuesPanelProps {
  readonly jobId: number;
  readonly review: Review;
  readonly issues: readonly Issue[];
  readonly error: unknown;
  readonly surroundings: Surroundings | undefined;
  readonly onStep: (step: Step) => void;
}

/** Issues of the job, with those of the frame first, and the one that is being written. */
export function IssuesPanel(props: IssuesPanelProps): ReactNode {
  const { jobId, review, issues, error, surroundings, onStep } = props;
  const [withResolved, setWithResolved] = useState(true);
  const shown = issues
    .filter(({ resolved, id }) => withResolved || !resolved || id === review.issue)
    .toSorted(
      (a, b) => Number(b.frame === review.frame) - Number(a.frame === review.frame) || a.frame - b.frame || a.id - b.id,
    );
  const open = issues.filter(({ resolved }) => !resolved).length;
  return (
    <>
      <div className={classes['filter']}>
        <Group justify="space-between" wrap="nowrap">
          <Text size="xs" c="dimmed" role="status">
            {issues.length === 0 ? 'No issues yet' : `${open} open, ${issues.length - open} resolved`}
          </Text>
          <Checkbox
            size="xs"
            label="Resolved ones too"
            checked={withResolved}
            onChange={(event) => setWithResolved(event.currentTarget.checked)}
          />
        </Group>
        {issues.length === 0 && surroundings?.rights.openIssue === true && review.draft === null && (
          <Text size="sm" c="dimmed">
            To pin one, take the pin from the tools (I), then click a place of the frame or draw a box.
          </Text>
        )}
      </div>
      <div className={classes['scroll']}>
        {error !== null && <ErrorPanel error={error} />}
        {review.draft !== null && (
          <Draft jobId={jobId} draft={review.draft} organization={surroundings?.organization ?? ''} onStep={onStep} />
        )}
        <ul className={classes['issues']} aria-label="Issues">
          {shown.map((issue) => (
            <IssueItem
              key={issue.id}
              issue={issue}
              isOpen={issue.id === review.issue}
              isHere={issue.frame === review.frame}
              surroundings={surroundings}
              onStep={onStep}
            />
          ))}
        </ul>
      </div>
    </>
  );
}

interface DraftProps {
  readonly jobId: number;
  readonly draft: NonNullable<Review['draft']>;
  readonly organization: string;
  readonly onStep: (step: Step) => void;
}

/** The first comment of a new issue. What was typed stays when it is refused. */
function Draft({ jobId, draft, organization, onStep }: DraftProps): ReactNode {
  const client = useQueryClient();
  const [message, setMessage] = useState('');
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
      await client.invalidateQueries({ queryKey: issuesKey(jobId) });
      onStep({ do: 'end-draft', created: id });
    },
  });
  return (
    <form
      className={classes['draft']}
      aria-label="New issue"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
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
        onKeyDown={(event) => event.key === 'Escape' && message === '' && onStep({ do: 'end-draft' })}
      />
      {create.error !== null && <ErrorPanel error={create.error} />}
      <Group justify="flex-end" gap={8}>
        <Button size="xs" variant="default" onClick={() => onStep({ do: 'end-draft' })}>
          Cancel
        </Button>
        <Button size="xs" type="submit" loading={create.isPending} disabled={message.trim() === ''}>
          Open the issue
        </Button>
      </Group>
    </form>
  );
}

interface IssueItemProps {
  readonly issue: Issue;
  readonly isOpen: boolean;
  readonly isHere: boolean;
  readonly surroundings: Surroundings | undefined;
  readonly onStep: (step: Step) => void;
}

function IssueItem({ issue, isOpen, isHere, surroundings, onStep }: IssueItemProps): ReactNode {
  const { id, frame, resolved, owner, created_date: created, comments } = issue;
  return (
    <li className={classes['issue']} data-open={isOpen || undefined} data-here={isHere || undefined}>
      <button
        type="button"
        className={classes['head']}
        aria-expanded={isOpen}
        onClick={() => onStep(isOpen ? { do: 'open-issue', id: null } : { do: 'open-issue', id, frame })}
      >
        <Badge
          size="sm"
          radius="sm"
          variant="filled"
          color={resolved ? 'teal.9' : 'yellow.4'}
          c={resolved ? 'white' : 'black'}
        >
          {resolved ? 'resolved' : 'open'}
        </Badge>
        <span className={classes['where']}>
          Issue {id}, frame {frame}
        </span>
        <span className={classes['what']}>
          {owner === null ? '' : displayName(owner)} {created !== null && <TimeAgo date={created} />}
          {comments.count > 1 && ` · ${comments.count} comments`}
        </span>
      </button>
      {isOpen && <Conversation issue={issue} surroundings={surroundings} onStep={onStep} />}
    </li>
  );
}

type ConversationProps = Pick<IssueItemProps, 'issue' | 'surroundings' | 'onStep'>;

/** The comments of an issue, and what can be done with it. */
function Conversation({ issue, surroundings, onStep }: ConversationProps): ReactNode {
  const client = useQueryClient();
  const { data: comments = [], error } = useComments(issue.id);
  const [message, setMessage] = useState('');
  const [isAsking, setAsking] = useState(false);
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
      const { response, error: refusal } = await api.DELETE('/api/comments/{id}', { params: { path: { id } } });
      if (!response.ok) throw new CairnError(response, refusal);
    },
    onSuccess: refresh,
    onError: showProblem,
  });
  const remove = async (): Promise<void> => {
    const { response, error: refusal } = await api.DELETE('/api/issues/{id}', { params: { path: { id: issue.id } } });
    if (!response.ok) throw new CairnError(response, refusal);
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
                {entry.owner === null ? 'Somebody who is gone' : displayName(entry.owner)}{' '}
                <Text span size="xs" c="dimmed" fw={400}>
                  <TimeAgo date={entry.created_date} />
                </Text>
              </Text>
              {rights?.deleteComment(issue, entry) === true && comments.length > 1 && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  color="gray"
                  aria-label={`Delete the comment "${entry.message.slice(0, 40)}"`}
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
            comment.mutate();
          }}
        >
          <Textarea
            autosize
            minRows={1}
            maxRows={6}
            size="xs"
            aria-label={`Comment on issue ${issue.id}`}
            placeholder="Comment"
            value={message}
            onChange={(event) => setMessage(event.currentTarget.value)}
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
          <Button size="xs" variant="subtle" color="red" onClick={() => setAsking(true)}>
            Delete
          </Button>
        )}
      </Group>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Delete issue ${issue.id}?`}
        text="Its comments go with it. This cannot be undone."
        action="Delete the issue"
        onConfirm={remove}
      />
    </div>
  );
}
