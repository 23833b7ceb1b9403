import { Button, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { BasicUser } from '../../app/api';
import type { JobChange } from '../job-change';
import { JOB_VALUES, JobValueSelect } from '../job-value-select';
import { submitting } from '../submitting';
import { UserSelect } from '../user-select';
import type { Selection } from './job-table';
import classes from './job-list.module.css';

interface BulkBarProps {
  readonly selected: Selection;
  readonly isBusy: boolean;
  /** Applies the change to all selected jobs. `onApplied` runs once the server has. */
  readonly onChange: (what: JobChange, onApplied: () => void) => void;
  readonly onClear: () => void;
}

interface Fields extends Pick<JobChange, 'stage' | 'state'> {
  /** Undefined for no change, null for nobody. */
  readonly assignee?: BasicUser | null;
}

/** A form that changes all selected jobs. It has the fields that the user can change in each of them. */
export function BulkBar({ selected, isBusy, onChange, onClear }: BulkBarProps): ReactNode {
  const [{ assignee, ...values }, setFields] = useState<Fields>({});
  const rights = [...selected.values()];
  const mayAssign = rights.every(({ changeAssignee }) => changeAssignee);
  const names = (['stage', 'state'] as const).filter((name) => rights.every((each) => each[JOB_VALUES[name].right]));
  const change: JobChange = { ...values, ...(assignee === undefined ? {} : { assignee: assignee?.id ?? null }) };
  const isEmpty = Object.keys(change).length === 0;
  const apply = (): void => onChange(change, () => setFields({}));
  return (
    <section className={classes['bulk']} aria-label="Edit selected jobs">
      <form onSubmit={submitting({ mutate: apply })}>
        <Text size="sm" fw={600} aria-live="polite">
          {selected.size.toLocaleString('en')} selected
        </Text>
        {mayAssign && (
          <UserSelect
            label="Assignee for selected jobs"
            hiddenLabel
            placeholder="Set assignee"
            size="xs"
            value={assignee}
            onChange={(user) => setFields({ ...values, assignee: user })}
            onClear={() => setFields(values)}
            w={170}
          />
        )}
        {names.map((name) => (
          <JobValueSelect
            key={name}
            name={name}
            of="for selected jobs"
            value={values[name] ?? null}
            resetsState={values.state === undefined}
            width={140}
            isDisabled={isBusy}
            onChange={(value) => setFields((before) => ({ ...before, ...value }))}
          />
        ))}
        <Button size="xs" type="submit" disabled={isEmpty} loading={isBusy}>
          Apply
        </Button>
        <Button size="xs" variant="subtle" onClick={onClear}>
          Clear selection
        </Button>
      </form>
    </section>
  );
}
