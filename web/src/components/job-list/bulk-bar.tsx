import { Button, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { BasicUser } from '../../app/api';
import type { JobChange } from '../job-change';
import { JOB_VALUES, JobValueSelect } from '../job-value-select';
import { UserSelect } from '../user-select';
import type { Selection } from './job-table';
import classes from './job-list.module.css';

interface BulkBarProps {
  readonly selected: Selection;
  readonly isBusy: boolean;
  readonly onChange: (what: JobChange) => void;
  readonly onClear: () => void;
}

/** Changes all selected jobs. It offers the fields that the user can change in each of them. */
export function BulkBar({ selected, isBusy, onChange, onClear }: BulkBarProps): ReactNode {
  const [assignee, setAssignee] = useState<BasicUser | null>(null);
  const rights = [...selected.values()];
  const mayAssign = rights.every(({ changeAssignee }) => changeAssignee);
  const fields = (['stage', 'state'] as const).filter((name) => rights.every((each) => each[JOB_VALUES[name].right]));
  return (
    <section className={classes['bulk']} aria-label="Edit selected jobs">
      <Text size="sm" fw={600} aria-live="polite">
        {selected.size.toLocaleString('en')} selected
      </Text>
      {mayAssign && (
        <>
          <UserSelect
            label="Assignee for selected jobs"
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
            {assignee === null ? 'Unassign' : 'Assign'}
          </Button>
        </>
      )}
      {fields.map((name) => (
        <JobValueSelect
          key={name}
          name={name}
          of="for selected jobs"
          value={null}
          width={140}
          isDisabled={isBusy}
          onChange={onChange}
        />
      ))}
      <Button size="xs" variant="subtle" onClick={onClear}>
        Clear selection
      </Button>
    </section>
  );
}
