import { Center, Loader } from '@mantine/core';
import type { ReactNode } from 'react';

/** Fills the page until there is something to show. */
export const PageLoader = (): ReactNode => (
  <Center mih={240} role="status">
    <Loader aria-hidden />
    <span className="visually-hidden">Loading…</span>
  </Center>
);
