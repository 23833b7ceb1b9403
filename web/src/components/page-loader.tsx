import { Center, Loader } from '@mantine/core';
import type { ReactNode } from 'react';

/** Shown while a page or a part of it is loading. */
export const PageLoader = (): ReactNode => (
  <Center mih={240} role="status">
    <Loader aria-hidden />
    <span className="visually-hidden">Loading…</span>
  </Center>
);
