import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Icon } from '../components/icons';
import { api } from './api';
import { useConnection } from './connection';

const ASK_AGAIN_MS = 3_000;

/** Says that the server is away, looks for it, and brings the page up to date when it is back. */
export function AwayBar(): ReactNode {
  const { isAway } = useConnection();
  const client = useQueryClient();
  useEffect(() => {
    if (!isAway) return undefined;
    const timer = setInterval(() => void ask(), ASK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      void client.invalidateQueries(); // it was away and is back
    };
  }, [isAway, client]);
  if (!isAway) return null;
  return (
    <div className="notice-bar" role="alert">
      <Icon name="alert" />
      <span>The server cannot be reached. What you typed and started stays; it is looked for again and again.</span>
      <Button size="compact-sm" variant="white" color="dark" onClick={() => void ask()}>
        Try now
      </Button>
    </div>
  );
}

/** Any answer ends the absence: the client notes it. */
const ask = (): Promise<unknown> => api.GET('/api/server/about').catch(() => undefined);
