import { Button, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { BasicUser } from '../../app/api';
import type { JobChange } from '../job-change';
import { JOB_VALUES, JobValueSelect } from '../job-value-select';
import { UserSelect } from '../user-select';
import type { Chosen } from './job-table';
import classes from './job-list.module.css';

interface BulkBarProps {
  readonly chosen: Chosen;
  readonly isBusy: boolean;
  readonly onChange: (what: JobChange) => void;
  readonly onClear: () => void;
}

/** Changes all jobs that are chosen, as far as the user may with each of them. */
export function BulkBar({ chosen, isBusy, onChange, onClear }: BulkBarProps): ReactNode {
  const [assignee, setAssignee] = useState<BasicUser | null>(null);
  const rights = [...chosen.values()];
  const mayAssign = rights.every(({ changeAssignee }) => changeAssignee);
  const choices = (['stage', 'state'] as const).filter((name) => rights.every((each) => each[JOB_VALUES[name].right]));
  return (
    <section className={classes['bulk']} aria-label="Change the chosen jobs">
      <Text size="sm" fw={600} aria-live="polite">
        {chosen.size.toLocaleString('en')} chosen
      </Text>
      {mayAssign && (
        <>
          <UserSelect
            label="Assignee for the chosen jobs"
            hiddenLabel
            placeholder="Set assignee"
            size="xs"
            value={assignee}
            onChange={setAssignee}
            w={170}
          />
          <Button
            size="xs"
            variant="default"
            disabled={isBusy}
            onClick={() => onChange({ assignee: assignee?.id ?? null })}
          >
            {assignee === null ? 'Take the assignee away' : 'Assign'}
          </Button>
        </>
      )}
      {choices.map((name) => (
        <JobValueSelect
          key={name}
          name={name}
          of="for the chosen jobs"
          value={null}
          width={140}
          isDisabled={isBusy}
          onChange={onChange}
        />
      ))}
      <Button size="xs" variant="subtle" onClick={onClear}>
        Choose none
      </Button>
    </section>
  );
}
