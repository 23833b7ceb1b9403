import { useEffect, useRef } from 'react';
import type { Saver } from './editing/saver';
import type { OpenSession, Session } from './editing/use-editing';
import type { Masks } from './use-masks';

/**
 * Passes the session of the editor to the page around it, for changes of the job.
 * @param masks whose unfinished mask is saved with everything else
 */
export function useSession(
  session: Session | undefined,
  masks: Masks,
  onSession: (session: OpenSession | undefined) => void,
): void {
  const storeMask = useRef(masks.store);
  useEffect(() => {
    storeMask.current = masks.store;
  });
  useEffect(() => {
    const save = async (of: Saver): Promise<void> => {
      storeMask.current();
      await of.save();
    };
    onSession(session && { ...session, save: () => save(session.saver) });
    return () => onSession(undefined);
  }, [session, onSession]);
}
