import { Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api, type Task } from '../../app/api';
import { useDraft } from '../../app/drafts';
import { InvalidInput } from '../../app/invalid-input';
import { explain } from '../../app/problems';
import { FormDialog } from '../form-dialog';
import { showSuccess } from '../notify';
import { NO_VALIDATION, selectionParameters } from './data-settings';
import { FrameSelectionFields } from './validation-form';

const EMPTY = { selection: NO_VALIDATION, numbers: '' };

interface GroundTruthDialogProps {
  readonly task: Task;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Adds a ground truth job, for reference annotations of some frames, to a task that has none. */
export function GroundTruthDialog({ task, opened, onClose }: GroundTruthDialogProps): ReactNode {
  const client = useQueryClient();
  const [{ selection, numbers }, setDraft] = useDraft(`ground truth of task ${task.id}`, EMPTY);
  const create = useMutation({
    mutationFn: async () => {
      const frames = selection.selection === 'manual' ? { frames: readNumbers(numbers) } : {};
      const body = { task_id: task.id, type: 'ground_truth' as const, ...selectionParameters(selection), ...frames };
      return unwrap(await api.POST('/api/jobs', { body }));
    },
    onSuccess: async (job) => {
      setDraft(EMPTY);
      showSuccess(`Ground truth job ${job.id} created.`);
      onClose();
      await Promise.all(['jobs', 'tasks', 'task'].map((key) => client.invalidateQueries({ queryKey: [key] })));
    },
  });
  return (
    <FormDialog opened={opened} onClose={onClose} title="Add ground truth job" action="Add job" mutation={create}>
      <Text size="sm">
        The job holds reference annotations of these frames. Quality reports compare the annotations of other jobs with
        them. You cannot change the frames later.
      </Text>
      <FrameSelectionFields validation={selection} onChange={(next) => setDraft({ selection: next, numbers })}>
        {selection.selection === 'manual' && (
          <TextInput
            label="Frame numbers"
            description={`Numbers from 0 to ${(task.size ?? 1) - 1}, such as 0, 5, 17.`}
            required
            value={numbers}
            error={create.error === null ? undefined : explain(create.error).fields['frames']}
            onChange={(event) => setDraft({ selection, numbers: event.currentTarget.value })}
          />
        )}
      </FrameSelectionFields>
    </FormDialog>
  );
}

/** @throws InvalidInput that names the first part that is not a number */
function readNumbers(text: string): number[] {
  return text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .map((part) => {
      if (!/^\d+$/.test(part)) throw new InvalidInput({ frames: `“${part}” is not a frame number.` });
      return Number(part);
    });
}
