import { Code } from '@mantine/core';
import type { ReactNode } from 'react';

/** Preformatted text, which can be scrolled with the keyboard. */
export const CodeBlock = ({ text, label }: { readonly text: string; readonly label: string }): ReactNode => (
  <Code block tabIndex={0} role="region" aria-label={label} style={{ maxHeight: 320, overflow: 'auto' }}>
    {text}
  </Code>
);
