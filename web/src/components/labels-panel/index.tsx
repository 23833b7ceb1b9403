import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import { PageLoader } from '../page-loader';

const Panel = lazy(async () => ({ default: (await import('./labels-panel')).LabelsPanel }));

/** The panel for the labels of a project or task. Its code is loaded when it is shown. */
export const LabelsPanel = (props: ComponentProps<typeof Panel>): ReactNode => (
  <Suspense fallback={<PageLoader />}>
    <Panel {...props} />
  </Suspense>
);
