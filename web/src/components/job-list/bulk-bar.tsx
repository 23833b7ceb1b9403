import { Button, Select, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { BasicUser } from '../../app/api';
import { type JobChange, STAGES, STATES } from '../job-change';
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
  const mayMoveOn = rights.every(({ changeStage }) => changeStage);
  return (
    <section className={classes['bulk']} aria-label="Change the chosen jobs">
      <Text size="sm" fw={600} aria-live="polite">
        {chosen.size} chosen
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
      {mayMoveOn && (
        <Select
          size="xs"
          w={140}
          aria-label="Stage for the chosen jobs"
          placeholder="Set stage"
          disabled={isBusy}
          data={[...STAGES]}
          value={null}
          onChange={(stage) => (stage === null ? undefined : onChange({ stage: stage }))}
        />
      )}
      <Select
        size="xs"
        w={140}
        aria-label="State for the chosen jobs"
        placeholder="Set state"
        disabled={isBusy}
        data={[...STATES]}
        value={null}
        onChange={(state) => (state === null ? undefined : onChange({ state: state }))}
      />
      <Button size="xs" variant="subtle" onClick={onClear}>
        Choose none
      </Button>
    </section>
  );
}
