import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { watchRequest } from '../app/watched-requests';
import { Icon } from './icons';
import { showProblem } from './notify';
import { startedOrRunning, useIsRunning } from './running-request';

interface RequestButtonProps {
  readonly title: string;
  /** Accessible name while the request is queued or running. */
  readonly busyTitle: string;
  /** What the request does, for the notification. */
  readonly what: string;
  /** Shown when it is finished. */
  readonly done: string;
  /** ID of the request, which is the same each time. */
  readonly requestId: string;
  /** Key of the queries that are read again once the request is finished. */
  readonly results: readonly unknown[];
  readonly start: () => Promise<{ readonly rq_id: string }>;
}

/** Starts a background request, or follows it if it is running already. */
export function RequestButton(props: RequestButtonProps): ReactNode {
  const { title, busyTitle, what, done, requestId, results, start } = props;
  const client = useQueryClient();
  const isRunning = useIsRunning(requestId, results);
  const create = useMutation({
    // Somebody else may have started it.
    mutationFn: async () => {
      const id = await startedOrRunning(start);
      await watchRequest(id, what, done);
      await client.invalidateQueries({ queryKey: results });
    },
    onError: showProblem,
  });
  const isBusy = create.isPending || isRunning;
  return (
    <Button
      leftSection={<Icon name="refresh" size={16} />}
      loading={isBusy}
      aria-label={isBusy ? busyTitle : title}
      onClick={() => create.mutate()}
    >
      {title}
    </Button>
  );
}
