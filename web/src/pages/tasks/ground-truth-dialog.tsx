import { Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api, type Task } from '../../app/api';
import { useDraft } from '../../app/drafts';
import { FormDialog } from '../../components/form-dialog';
import { showSuccess } from '../../components/notify';
import { NO_VALIDATION, selectionParameters } from '../../components/task-data';
import { FrameChoice } from '../../components/task-data/validation-form'; // by the folder it would come with every task page

const NOTHING_CHOSEN = { choice: NO_VALIDATION, numbers: '' };
import { InvalidInput } from '../../app/invalid-input';
import { explain } from '../../app/problems';

interface GroundTruthDialogProps {
  readonly task: Task;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Adds the job of ground truth to a task that has none: reference annotations of some of its frames. */
export function GroundTruthDialog({ task, opened, onClose }: GroundTruthDialogProps): ReactNode {
  const client = useQueryClient();
  const [{ choice, numbers }, setDraft] = useDraft(`ground truth of task ${task.id}`, NOTHING_CHOSEN);
  const create = useMutation({
    mutationFn: async () => {
      const frames = choice.selection === 'manual' ? { frames: readNumbers(numbers) } : {};
      const body = { task_id: task.id, type: 'ground_truth' as const, ...selectionParameters(choice), ...frames };
      return unwrap(await api.POST('/api/jobs', { body }));
    },
    onSuccess: async (job) => {
      setDraft(NOTHING_CHOSEN);
      showSuccess(`Job ${job.id} holds the ground truth.`);
      onClose();
      await Promise.all(['jobs', 'tasks', 'task'].map((key) => client.invalidateQueries({ queryKey: [key] })));
    },
  });
  return (
    <FormDialog opened={opened} onClose={onClose} title="Add a ground truth job" action="Add the job" deed={create}>
      <Text size="sm">
        The job holds reference annotations of these frames. Cairn does not compare the annotations of other jobs with
        them yet. You cannot change the frames later.
      </Text>
      <FrameChoice validation={choice} onChange={(next) => setDraft({ choice: next, numbers })}>
        {choice.selection === 'manual' && (
          <TextInput
            label="Numbers of the frames"
            description={`0 to ${(task.size ?? 1) - 1}, such as: 0, 5, 17`}
            required
            value={numbers}
            error={create.error === null ? undefined : explain(create.error).fields['frames']}
            onChange={(event) => setDraft({ choice, numbers: event.currentTarget.value })}
          />
        )}
      </FrameChoice>
    </FormDialog>
  );
}

/** @throws InvalidInput that names what is not a number */
function readNumbers(text: string): number[] {
  return text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .map((part) => {
      if (!/^\d+$/.test(part)) throw new InvalidInput({ frames: `“${part}” is not a frame number.` });
      return Number(part);
    });
}
