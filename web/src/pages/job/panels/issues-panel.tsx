import { Badge, Checkbox, Group, Text } from '@mantine/core';
import { memo, type ReactNode, useState } from 'react';
import type { Issue } from '../../../app/api';
import { ErrorPanel } from '../../../components/error-panel';
import { displayName } from '../../../components/person';
import { TimeAgo } from '../../../components/time-ago';
import type { Surroundings } from '../data/queries';
import type { Review, Step } from '../data/review';
import { Conversation } from './conversation';
import { IssueDraft } from './issue-draft';
import classes from './issues-panel.module.css';
import panel from './panel.module.css';
import { counted } from '../../../components/counted';

interface IssuesPanelProps {
  readonly jobId: number;
  readonly review: Review;
  readonly issues: readonly Issue[];
  readonly error: unknown;
  readonly mayOpenIssue: boolean;
  readonly surroundings: Surroundings | undefined;
  readonly onStep: (step: Step) => void;
}

/** Issues of the job, those of the current frame first, and the draft of a new one. */
export const IssuesPanel = memo(function IssuesPanel(props: IssuesPanelProps): ReactNode {
  const { jobId, review, issues, error, mayOpenIssue, surroundings, onStep } = props;
  const [withResolved, setWithResolved] = useState(true);
  const shown = issues
    .filter(({ resolved, id }) => withResolved || !resolved || id === review.issue)
    .toSorted(
      (a, b) => Number(b.frame === review.frame) - Number(a.frame === review.frame) || a.frame - b.frame || a.id - b.id,
    );
  const open = issues.filter(({ resolved }) => !resolved).length;
  return (
    <>
      <div className={panel['filter']}>
        <Group justify="space-between" wrap="nowrap">
          <Text size="xs" c="dimmed" role="status" textWrap="nowrap">
            {issues.length === 0 ? 'No issues yet' : `${open} open · ${issues.length - open} resolved`}
          </Text>
          <Checkbox
            size="xs"
            label="Show resolved"
            checked={withResolved}
            onChange={(event) => setWithResolved(event.currentTarget.checked)}
          />
        </Group>
        {issues.length === 0 && mayOpenIssue && review.draft === null && (
          <Text size="sm" c="dimmed">
            To add one, select the issue tool (I), then click the frame or draw a box.
          </Text>
        )}
      </div>
      <div className={panel['scroll']}>
        {error !== null && <ErrorPanel error={error} />}
        {review.draft !== null && (
          <IssueDraft
            jobId={jobId}
            draft={review.draft}
            organization={surroundings?.organization ?? ''}
            onStep={onStep}
          />
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
});

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
          {comments.count > 1 && ` · ${counted(comments.count, 'comment')}`}
        </span>
      </button>
      {isOpen && <Conversation issue={issue} surroundings={surroundings} onStep={onStep} />}
    </li>
  );
}
