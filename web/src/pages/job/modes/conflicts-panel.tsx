import { Badge, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { CONFLICTS } from '../../../components/conflict-types';
import { counted } from '../../../components/counted';
import { TimeAgo } from '../../../components/time-ago';
import type { Job, QualityConflict } from '../../../app/api';
import { type JobConflicts, stepTo } from '../data/conflicts';
import type { GroundTruth } from '../data/ground-truth';
import type { Review, Step } from '../data/review';
import issues from '../panels/issues-panel.module.css';
import panel from '../panels/panel.module.css';

interface ConflictsPanelProps {
  readonly job: Job;
  readonly review: Review;
  readonly known: JobConflicts;
  readonly truth: GroundTruth;
  readonly onStep: (step: Step) => void;
}

/** The conflicts of the newest quality report, those of the current frame first. Opening one selects its objects. */
export function ConflictsPanel({ job, review, known, truth, onStep }: ConflictsPanelProps): ReactNode {
  const { report, conflicts } = known;
  const here = conflicts.filter(({ frame }) => frame === review.frame);
  const elsewhere = conflicts.filter(({ frame }) => frame !== review.frame);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-pressed="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [review.conflict]);
  return (
    <>
      <div className={panel['filter']}>
        <Text size="xs" c="dimmed" role="status">
          {conflicts.length === 0
            ? 'No conflicts.'
            : `${here.length} on this frame · ${counted(conflicts.length, 'conflict')} in the job`}
        </Text>
        <Text size="xs" c="dimmed">
          Quality report from <TimeAgo date={report.created_date} />
        </Text>
      </div>
      <div className={panel['scroll']}>
        <ul className={issues['issues']} aria-label="Conflicts" ref={list}>
          {[...here, ...elsewhere].map((conflict) => (
            <ConflictItem
              key={conflict.id}
              conflict={conflict}
              isOpen={conflict.id === review.conflict}
              isHere={conflict.frame === review.frame}
              onOpen={() => {
                truth.setShown(true);
                onStep(stepTo(conflict, job));
              }}
            />
          ))}
        </ul>
      </div>
    </>
  );
}

interface ConflictItemProps {
  readonly conflict: QualityConflict;
  readonly isOpen: boolean;
  readonly isHere: boolean;
  readonly onOpen: () => void;
}

const ConflictItem = ({ conflict, isOpen, isHere, onOpen }: ConflictItemProps): ReactNode => {
  const { title, text } = CONFLICTS[conflict.type];
  const isError = conflict.severity === 'error';
  return (
    <li className={issues['issue']} data-open={isOpen || undefined} data-here={isHere || undefined}>
      <button type="button" className={issues['head']} aria-pressed={isOpen} onClick={onOpen}>
        <Badge
          size="sm"
          radius="sm"
          variant="filled"
          color={isError ? 'red' : 'yellow.4'}
          c={isError ? 'white' : 'black'}
        >
          {conflict.severity}
        </Badge>
        <span className={issues['where']}>
          {title}, frame {conflict.frame}
        </span>
        <span className={issues['what']}>{text}</span>
      </button>
    </li>
  );
};
