import { Button, Group, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useUser } from '../../app/session';
import { ConfirmButton } from '../../components/confirm';
import { counted } from '../../components/counted';
import { downloadUnsaved } from './editing/download-unsaved';
import { abandonedWork, discardWork } from './editing/unsaved-store';

/** Offers the unsaved work of the user in a job that cannot be opened any more. */
export function AbandonedWork({ jobId }: { readonly jobId: number }): ReactNode {
  const user = useUser();
  const client = useQueryClient();
  const queryKey = ['abandoned work', user.id, jobId];
  const { data: work } = useQuery({ queryKey, queryFn: () => abandonedWork(user.id, jobId), staleTime: 0, gcTime: 0 });
  if (work === undefined || work.slots.length === 0) return null;
  const { changes, slots } = work;
  const count = counted(changes.length, 'unsaved change', 'unsaved changes');
  const discard = async (): Promise<void> => {
    await discardWork(slots);
    await client.invalidateQueries({ queryKey });
  };
  return (
    <div className="panel panel--padded" style={{ marginTop: 16 }}>
      <Title order={2} size="h4" mb="xs">
        Your browser has {count} of this job
      </Title>
      <Text size="sm">
        They are saved if you open the job after you have got access again. You can also download them as JSON.
      </Text>
      <Group mt="sm">
        <Button size="xs" variant="default" onClick={() => downloadUnsaved(jobId, changes)}>
          Download unsaved changes
        </Button>
        <ConfirmButton
          title={`Discard ${count}?`}
          text="They cannot be restored."
          action="Discard"
          onConfirm={discard}
        />
      </Group>
    </div>
  );
}
