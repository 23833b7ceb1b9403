import { Alert, Button, Code, CopyButton, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from './icons';

interface CopyOnceProps {
  readonly title: string;
  readonly value: string;
  /** Hides it. */
  readonly onDone?: () => void;
}

/** A secret that is shown once: to be copied now. */
export const CopyOnce = ({ title, value, onDone }: CopyOnceProps): ReactNode => (
  <Alert color="teal" variant="light" title={title} role="status">
    <Text size="sm" mb="xs">
      Copy it now: it is not shown again.
    </Text>
    <Group gap="xs">
      <Code fz="sm" p="xs" data-testid="secret">
        {value}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
            onClick={copy}
          >
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
      {onDone !== undefined && (
        <Button size="xs" variant="subtle" onClick={onDone}>
          I have it
        </Button>
      )}
    </Group>
  </Alert>
);
