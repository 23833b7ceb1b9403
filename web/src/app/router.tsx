import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';
import { BrowserRouter, Route, Routes } from 'react-router';
import { PageLoader } from '../components/page-loader';
import { PageBoundary, UnknownPage } from '../components/page-boundary';
import { AppLayout } from './app-layout';
import { SIGNED_OUT_PAGES, loadPage, pageIfLoaded, type PageModule, PAGES } from './pages';

/** Pages are loaded when they are first shown. Each exports its component as `Component`. */
const routesOf = (pages: Readonly<Record<string, PageModule>>): ReactNode =>
  Object.entries(pages).map(([path, load]) => {
    const Shown = pageOf(load);
    return <Route key={path} path={path} element={<Shown />} />;
  });

/** Renders a loaded page without Suspense: after a fallback, React waits 0.3 s before it shows content. */
function pageOf(load: PageModule): ComponentType {
  const Late = lazy(async () => ({ default: await loadPage(load) }));
  return function Shown() {
    const [Page] = useState(() => pageIfLoaded(load) ?? Late);
    return <Page />;
  };
}

const ROUTES = (
  <>
    {routesOf(SIGNED_OUT_PAGES)}
    <Route element={<AppLayout />}>
      {routesOf(PAGES)}
      <Route path="*" element={<UnknownPage />} />
    </Route>
  </>
);

/** Shows the page for the current URL. */
export const Router = (): ReactNode => (
  <BrowserRouter>
    <PageBoundary>
      <Suspense fallback={<PageLoader />}>
        <Routes>{ROUTES}</Routes>
      </Suspense>
    </PageBoundary>
  </BrowserRouter>
);
