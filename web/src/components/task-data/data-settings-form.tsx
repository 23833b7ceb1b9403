import { Accordion } from '@mantine/core';
import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import { PageLoader } from '../page-loader';

/** Few users open these settings. Their code is loaded when they do. */
const Fields = lazy(async () => ({ default: (await import('./data-settings-fields')).DataSettingsFields }));

export const DataSettingsForm = (props: ComponentProps<typeof Fields>): ReactNode => (
  <Accordion variant="contained" keepMounted={false}>
    <Accordion.Item value="advanced">
      <Accordion.Control>Advanced settings</Accordion.Control>
      <Accordion.Panel>
        <Suspense fallback={<PageLoader />}>
          <Fields {...props} />
        </Suspense>
      </Accordion.Panel>
    </Accordion.Item>
  </Accordion>
);
