import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import { PageLoader } from '../page-loader';

const Browser = lazy(async () => ({ default: (await import('./file-browser')).FileBrowser }));

/** The file browser. Its code is loaded when it is shown. */
export const FileBrowser = (props: ComponentProps<typeof Browser>): ReactNode => (
  <Suspense fallback={<PageLoader />}>
    <Browser {...props} />
  </Suspense>
);
