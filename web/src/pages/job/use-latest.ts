import { useCallback, useLayoutEffect, useRef } from 'react';

/** @returns a function that stays the same and calls the latest one. Panels that receive it need not be rendered again. */
export function useLatest<Argument>(run: (argument: Argument) => void): (argument: Argument) => void {
  const latest = useRef(run);
  useLayoutEffect(() => {
    latest.current = run;
  });
  return useCallback((argument) => latest.current(argument), []);
}
