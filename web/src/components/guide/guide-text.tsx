import { lazy, type ReactNode, Suspense } from 'react';
import { PageLoader } from '../page-loader';

/** The Markdown renderer is large. Its code is loaded when there is text to show. */
const Markdown = lazy(async () => ({ default: (await import('./markdown')).Markdown }));

export const GuideText = ({ text }: { readonly text: string }): ReactNode => (
  <Suspense fallback={<PageLoader />}>
    <Markdown text={text} />
  </Suspense>
);
