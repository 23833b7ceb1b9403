import { Select, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { api } from '../../app/api';
import { FormDialog } from '../../components/form-dialog';
import { showSuccess } from '../../components/notify';
import { NumberField } from '../../components/number-field';
import { counted } from '../../components/counted';

interface ReplayDialogProps {
  readonly webhookId: number;
  readonly opened: boolean;
  readonly onClose: () => void;
}

const WHICH = [
  { value: 'failed', label: 'What failed and was not delivered since' },
  { value: 'missing', label: 'Events without a delivery, from when it was off' },
  { value: 'all', label: 'Everything' },
];

/** Sends again what happened since a moment. */
export function ReplayDialog({ webhookId, opened, onClose }: ReplayDialogProps): ReactNode {
  const [since, setSince] = useState('');
  const [which, setWhich] = useState('failed');
  const [rate, setRate] = useState<number | null>(10);
  const client = useQueryClient();
  const replay = useMutation({
    mutationFn: () =>
      replayAll(webhookId, { since: new Date(since).toISOString(), which, ...(rate === null ? {} : { rate }) }),
    onSuccess: async (count) => {
      showSuccess(
        count === 0
          ? 'There was nothing to send again.'
          : `${counted(count, 'delivery is', 'deliveries are')} sent again.`,
      );
      await client.invalidateQueries({ queryKey: ['deliveries', webhookId] });
      onClose();
    },
  });
  return (
    <FormDialog opened={opened} onClose={onClose} title="Send again" action="Send again" deed={replay}>
      <TextInput
        type="datetime-local"
        label="What happened since"
        required
        value={since}
        onChange={(event) => setSince(event.currentTarget.value)}
      />
      <Select
        label="Which"
        data={WHICH}
        allowDeselect={false}
        value={which}
        onChange={(value) => setWhich(value ?? 'failed')}
      />
      <NumberField label="Deliveries in a second" min={1} placeholder="All at once" value={rate} onChange={setRate} />
    </FormDialog>
  );
}

/** The server queues a thousand at a time. @returns how many in all */
async function replayAll(id: number, body: object): Promise<number> {
  let count = 0;
  for (let after: number | null = null; ;) {
    const part = after === null ? body : { ...body, after };
    const answer: { count: number; next: number | null } = unwrap(
      await api.POST('/api/webhooks/{id}/redeliveries', { params: { path: { id } }, body: part as never }),
    );
    count += answer.count;
    if (answer.next === null) return count;
    after = answer.next;
  }
}
