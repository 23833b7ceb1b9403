import { Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { BasicUser } from '../app/api';
import { useDraft } from '../app/drafts';
import { explain } from '../app/problems';
import { DetailField } from './detail-field';
import { ErrorPanel } from './error-panel';
import { showSuccess } from './notify';
import { SaveButtons } from './save-buttons';
import { submitting } from './submitting';
import { UserSelect } from './user-select';

/** Fields that projects and tasks have in common. */
export interface Details {
  readonly name: string;
  readonly bug_tracker: string;
  readonly subset?: string;
  readonly assignee: BasicUser | null;
}

interface DetailsFormProps {
  /** Name of the draft, such as "project 5". */
  readonly of: string;
  readonly present: Details;
  /** Whether the user can change the assignee. */
  readonly mayAssign: boolean;
  /** Receives the changed fields, named as in the API. */
  readonly onSave: (changes: Record<string, unknown>) => Promise<unknown>;
  /** Loads the current version after an edit conflict. */
  readonly onReload: () => Promise<unknown>;
}

const UNTOUCHED: Partial<Details> = {};

/** Name, issue tracker, subset and assignee. Fields that were not edited follow the server. */
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
  const problem = save.error === null ? null : explain(save.error);
  const isChanged = Object.keys(changesOf(present, shown)).length > 0;
  return (
    <form onSubmit={submitting(save)}>
      <Stack>
        <DetailField of="name" value={shown.name} onChange={(name) => set({ name })} errors={problem?.fields} />
        <UserSelect
          label="Assignee"
          disabled={!mayAssign}
          value={shown.assignee}
          onChange={(assignee) => set({ assignee })}
        />
        {shown.subset !== undefined && (
          <DetailField
            of="subset"
            value={shown.subset}
            onChange={(subset) => set({ subset })}
            errors={problem?.fields}
          />
        )}
        <DetailField
          of="bug_tracker"
          value={shown.bug_tracker}
          onChange={(to) => set({ bug_tracker: to })}
          errors={problem?.fields}
        />
        {save.error !== null && (
          <ErrorPanel
            error={save.error}
            onRetry={problem?.status === 412 ? () => void onReload().then(() => save.reset()) : undefined}
          />
        )}
        <SaveButtons isChanged={isChanged} isSaving={save.isPending} onDiscard={() => setTyped(UNTOUCHED)} />
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
