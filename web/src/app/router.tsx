import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { BrowserRouter, Navigate, Route, Routes } from 'react-router';
import { PageLoader } from '../components/page-loader';
import { PageBoundary, UnknownPage } from '../components/page-boundary';
import { AppLayout } from './app-layout';

type PageModule = () => Promise<{ readonly Component: ComponentType }>;

/** Pages for everybody. */
const ENTRANCES: Readonly<Record<string, PageModule>> = {
  '/login': () => import('../pages/login/login-page'),
  '/register': () => import('../pages/login/register-page'),
  '/auth/register/invitation': () => import('../pages/login/register-page'),
  '/auth/password/reset': () => import('../pages/login/password-reset-page'),
  '/auth/password/reset/confirm': () => import('../pages/login/password-confirm-page'),
};

/** Pages for those who are logged in. */
const PAGES: Readonly<Record<string, PageModule>> = {
  '/projects': () => import('../pages/projects/projects-page'),
  '/projects/new': () => import('../pages/projects/new-project-page'),
  '/projects/:projectId': () => import('../pages/projects/project-page'),
  '/tasks': () => import('../pages/tasks/tasks-page'),
  '/tasks/new': () => import('../pages/tasks/new-task-page'),
  '/tasks/:taskId': () => import('../pages/tasks/task-page'),
  '/jobs': () => import('../pages/jobs/jobs-page'),
  '/jobs/:jobId': () => import('../pages/job/job-page'),
  '/requests': () => import('../pages/requests/requests-page'),
  '/account': () => import('../pages/account/account-page'),
  '/organizations': () => import('../pages/organizations/organizations-page'),
  '/organizations/new': () => import('../pages/organizations/new-organization-page'),
  '/organizations/:organizationId': () => import('../pages/organizations/organization-page'),
  '/webhooks': () => import('../pages/webhooks/webhooks-page'),
  '/webhooks/new': () => import('../pages/webhooks/new-webhook-page'),
  '/webhooks/receivers': () => import('../pages/webhooks/receivers-page'),
  '/webhooks/receivers/:boxId': () => import('../pages/webhooks/receiver-page'),
  '/webhooks/:webhookId': () => import('../pages/webhooks/webhook-page'),
};

/** Pages are loaded when they are first shown; each exports its component as `Component`. */
const routesOf = (pages: Readonly<Record<string, PageModule>>): ReactNode =>
  Object.entries(pages).map(([path, load]) => {
    const Page = lazy(async () => ({ default: (await load()).Component }));
    return <Route key={path} path={path} element={<Page />} />;
  });

const ROUTES = (
  <>
    {routesOf(ENTRANCES)}
    <Route element={<AppLayout />}>
      <Route path="/" element={<Navigate to="/projects" replace />} />
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
