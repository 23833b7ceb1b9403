import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import { PageLoader } from '../page-loader';

export { GuideText } from './guide-text';
export { guideKey, readGuide } from './read-guide';

const Panel = lazy(async () => ({ default: (await import('./guide-panel')).GuidePanel }));

/** The panel for the guide. Its code is loaded when it is shown. */
export const GuidePanel = (props: ComponentProps<typeof Panel>): ReactNode => (
  <Suspense fallback={<PageLoader />}>
    <Panel {...props} />
  </Suspense>
);
