import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import type { BasicUser } from '../app/api';
import { useDraft } from '../app/drafts';
import { explain } from '../app/problems';
import { ErrorPanel } from './error-panel';
import { showSuccess } from './notify';
import { UserSelect } from './user-select';

/** What can be changed of a project or task. */
export interface Details {
  readonly name: string;
  readonly bug_tracker: string;
  readonly subset?: string;
  readonly assignee: BasicUser | null;
}

interface DetailsFormProps {
  /** Of what: typed text is kept under this name. */
  readonly of: string;
  readonly present: Details;
  /** Whether the user may give it to somebody. */
  readonly mayAssign: boolean;
  /** Only what differs from `present`, in the names of the wire. */
  readonly onSave: (changes: Record<string, unknown>) => Promise<unknown>;
  /** Reads the present state anew, after somebody else was faster. */
  readonly onReload: () => Promise<unknown>;
}

const UNTOUCHED: Partial<Details> = {};

/** Name, tracker, subset and assignee. Fields that nobody touched follow the server; touched ones stay as typed. */
export function DetailsForm({ of, present, mayAssign, onSave, onReload }: DetailsFormProps): ReactNode {
  const [typed, setTyped] = useDraft(`details of ${of}`, UNTOUCHED);
  const shown = { ...present, ...typed };
  const set = (part: Partial<Details>): void => setTyped((before) => ({ ...before, ...part }));
  const save = useMutation({
    mutationFn: () => onSave(changesOf(present, shown)),
    onSuccess: () => {
      setTyped(UNTOUCHED);
      showSuccess('Saved.');
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  const problem = save.error === null ? null : explain(save.error);
  const isChanged = Object.keys(changesOf(present, shown)).length > 0;
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          required
          maxLength={256}
          value={shown.name}
          error={problem?.fields['name']}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <UserSelect
          label="Assignee"
          disabled={!mayAssign}
          value={shown.assignee}
          onChange={(assignee) => set({ assignee })}
        />
        {shown.subset !== undefined && (
          <TextInput
            label="Subset"
            description="Such as train, validation or test."
            maxLength={64}
            value={shown.subset}
            error={problem?.fields['subset']}
            onChange={(event) => set({ subset: event.currentTarget.value })}
          />
        )}
        <TextInput
          label="Issue tracker"
          maxLength={2000}
          value={shown.bug_tracker}
          error={problem?.fields['bug_tracker']}
          onChange={(event) => set({ bug_tracker: event.currentTarget.value })}
        />
        {save.error !== null && (
          <ErrorPanel
            error={save.error}
            onRetry={problem?.status === 412 ? () => void onReload().then(() => save.reset()) : undefined}
          />
        )}
        <Group>
          <Button type="submit" disabled={!isChanged} loading={save.isPending}>
            Save
          </Button>
          {isChanged && (
            <Button variant="default" onClick={() => setTyped(UNTOUCHED)}>
              Discard the changes
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function changesOf(present: Details, shown: Details): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  if (shown.name.trim() !== present.name) changes['name'] = shown.name.trim();
  if (shown.bug_tracker.trim() !== present.bug_tracker) changes['bug_tracker'] = shown.bug_tracker.trim();
  if (shown.subset !== present.subset) changes['subset'] = shown.subset;
  if (shown.assignee?.id !== present.assignee?.id) changes['assignee_id'] = shown.assignee?.id ?? null;
  return changes;
}
