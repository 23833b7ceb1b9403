import { Alert, Button, Code, CopyButton, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from './icons';

interface CopyOnceProps {
  readonly title: string;
  readonly value: string;
  /** Hides the panel. */
  readonly onDone?: () => void;
}

/** A secret that is shown only once, with a button to copy it. */
export const CopyOnce = ({ title, value, onDone }: CopyOnceProps): ReactNode => (
  <Alert color="teal" variant="light" title={title} role="status">
    <Text size="sm" mb="xs">
      Copy it now. It is not shown again.
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
          Done
        </Button>
      )}
    </Group>
  </Alert>
);
