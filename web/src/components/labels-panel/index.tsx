import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import { PageLoader } from '../page-loader';

const Panel = lazy(async () => ({ default: (await import('./labels-panel')).LabelsPanel }));

/** Labels of a project or task, to be read and changed. The panel is loaded when it is shown. */
export const LabelsPanel = (props: ComponentProps<typeof Panel>): ReactNode => (
  <Suspense fallback={<PageLoader />}>
    <Panel {...props} />
  </Suspense>
);
