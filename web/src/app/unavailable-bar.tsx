import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Icon } from '../components/icons';
import { api } from './api';
import { useConnection } from './connection';

const POLL_MS = 3_000;

/** Says that the server cannot be reached, polls it, and refreshes the page once it is available again. */
export function UnavailableBar(): ReactNode {
  const { isAway } = useConnection();
  const client = useQueryClient();
  useEffect(() => {
    if (!isAway) return undefined;
    const timer = setInterval(() => void poll(), POLL_MS);
    return () => {
      clearInterval(timer);
      void client.invalidateQueries(); // the server is available again
    };
  }, [isAway, client]);
  if (!isAway) return null;
  return (
    <div className="notice-bar" role="alert">
      <Icon name="alert" />
      <span>Cannot reach the server. Your input is kept. Reconnecting automatically …</span>
      <Button size="compact-sm" variant="white" color="dark" onClick={() => void poll()}>
        Reconnect now
      </Button>
    </div>
  );
}

/** Any response ends the state: the client records it. */
const poll = (): Promise<unknown> => api.GET('/api/server/about').catch(() => undefined);
