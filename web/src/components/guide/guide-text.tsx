import { lazy, type ReactNode, Suspense } from 'react';
import { PageLoader } from '../page-loader';

/** The reader of Markdown is large: it comes when there is something to be read. */
const Markdown = lazy(async () => ({ default: (await import('./markdown')).Markdown }));

export const GuideText = ({ text }: { readonly text: string }): ReactNode => (
  <Suspense fallback={<PageLoader />}>
    <Markdown text={text} />
  </Suspense>
);
