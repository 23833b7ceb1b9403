import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';
import { BrowserRouter, Route, Routes } from 'react-router';
import { PageLoader } from '../components/page-loader';
import { PageBoundary, UnknownPage } from '../components/page-boundary';
import { AppLayout } from './app-layout';
import { ENTRANCES, loadPage, pageIfLoaded, type PageModule, PAGES } from './pages';

/** Pages are loaded when they are first shown; each exports its component as `Component`. */
const routesOf = (pages: Readonly<Record<string, PageModule>>): ReactNode =>
  Object.entries(pages).map(([path, load]) => {
    const Shown = pageOf(load);
    return <Route key={path} path={path} element={<Shown />} />;
  });

/** A page that is there already is shown at once: after a sign of waiting React lets 0.3 s pass before it shows anything. */
function pageOf(load: PageModule): ComponentType {
  const Late = lazy(async () => ({ default: await loadPage(load) }));
  return function Shown() {
    const [Page] = useState(() => pageIfLoaded(load) ?? Late);
    return <Page />;
  };
}

const ROUTES = (
  <>
    {routesOf(ENTRANCES)}
    <Route element={<AppLayout />}>
      {routesOf(PAGES)}
      <Route path="*" element={<UnknownPage />} />
    </Route>
  </>
);

/** Shows the page of the address. */
export const Router = (): ReactNode => (
  <BrowserRouter>
    <PageBoundary>
      <Suspense fallback={<PageLoader />}>
        <Routes>{ROUTES}</Routes>
      </Suspense>
    </PageBoundary>
  </BrowserRouter>
);
