import { Group, PasswordInput, Radio, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { WebhookValues } from './webhook-values';
import { tooLong } from '../../components/too-long';

interface SecretFieldsProps {
  readonly values: WebhookValues;
  readonly isNew: boolean;
  readonly set: (part: Partial<WebhookValues>) => void;
  readonly error: string | undefined;
}

/** The secret that signs deliveries. */
export function SecretFields({ values, isNew, set, error }: SecretFieldsProps): ReactNode {
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        Every delivery is signed with the secret, so that the receiver can verify that it is authentic.
      </Text>
      <Radio.Group
        aria-label="Secret"
        value={values.secretChoice}
        error={values.secretChoice === 'own' ? undefined : error}
        onChange={(value) => set({ secretChoice: value })}
      >
        <Group>
          {!isNew && <Radio value="keep" label="Keep current secret" />}
          {isNew && <Radio value="generate" label="Generate a secret" />}
          <Radio value="own" label="Enter a secret" />
          <Radio value="none" label="No secret (unsigned)" />
        </Group>
      </Radio.Group>
      {values.secretChoice === 'own' && (
        <PasswordInput
          label="New secret"
          required
          autoComplete="off"
          value={values.secret}
          error={error ?? tooLong(values.secret, 64)}
          onChange={(event) => set({ secret: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}
