import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import { PageLoader } from '../page-loader';

export { type DraftLabel, labelsProblem, toChanges, toDrafts, toInputs } from './draft';

const Editor = lazy(async () => ({ default: (await import('./label-editor')).LabelEditor }));

/** Labels to be made and changed. The editor is loaded when it is shown: its colours and skeletons are heavy. */
export const LabelEditor = (props: ComponentProps<typeof Editor>): ReactNode => (
  <Suspense fallback={<PageLoader />}>
    <Editor {...props} />
  </Suspense>
);
