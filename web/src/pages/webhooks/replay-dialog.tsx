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

const SELECTIONS = [
  { value: 'failed', label: 'Failed deliveries' },
  { value: 'missing', label: 'Events without a delivery, for example while the webhook was disabled' },
  { value: 'all', label: 'All events' },
];

/** Redelivers events since a point in time. */
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
        count === 0 ? 'There is nothing to redeliver.' : `${counted(count, 'redelivery', 'redeliveries')} queued.`,
      );
      await client.invalidateQueries({ queryKey: ['deliveries', webhookId] });
      onClose();
    },
  });
  return (
    <FormDialog opened={opened} onClose={onClose} title="Redeliver events" action="Redeliver" mutation={replay}>
      <TextInput
        type="datetime-local"
        label="Since"
        required
        value={since}
        onChange={(event) => setSince(event.currentTarget.value)}
      />
      <Select
        label="Events"
        data={SELECTIONS}
        allowDeselect={false}
        value={which}
        onChange={(value) => setWhich(value ?? 'failed')}
      />
      <NumberField label="Deliveries per second" min={1} placeholder="Unlimited" value={rate} onChange={setRate} />
    </FormDialog>
  );
}

/** Queues redeliveries in batches of a thousand, the limit of the server. @returns the total number */
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
