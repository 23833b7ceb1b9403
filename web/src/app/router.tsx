import { createBrowserRouter, Navigate } from 'react-router';
import { PageLoader } from '../components/page-loader';
import { RouteError, UnknownPage } from '../components/route-error';
import { AppLayout } from './app-layout';

/** Pages are loaded when they are first shown; each exports its component as `Component`. */
export const router = createBrowserRouter([
  {
    errorElement: <RouteError />,
    hydrateFallbackElement: <PageLoader />,
    children: [
      { path: '/login', lazy: () => import('../pages/login/login-page') },
      { path: '/register', lazy: () => import('../pages/login/register-page') },
      { path: '/auth/register/invitation', lazy: () => import('../pages/login/register-page') },
      { path: '/auth/password/reset', lazy: () => import('../pages/login/password-reset-page') },
      { path: '/auth/password/reset/confirm', lazy: () => import('../pages/login/password-confirm-page') },
      {
        element: <AppLayout />,
        children: [
          {
            errorElement: <RouteError />,
            children: [
              { path: '/', element: <Navigate to="/projects" replace /> },
              { path: '/projects', lazy: () => import('../pages/projects/projects-page') },
              { path: '/projects/new', lazy: () => import('../pages/projects/new-project-page') },
              { path: '/projects/:projectId', lazy: () => import('../pages/projects/project-page') },
              { path: '/tasks', lazy: () => import('../pages/tasks/tasks-page') },
              { path: '/tasks/new', lazy: () => import('../pages/tasks/new-task-page') },
              { path: '/tasks/:taskId', lazy: () => import('../pages/tasks/task-page') },
              { path: '/jobs', lazy: () => import('../pages/jobs/jobs-page') },
              { path: '/jobs/:jobId', lazy: () => import('../pages/job/job-page') },
              { path: '/requests', lazy: () => import('../pages/requests/requests-page') },
              { path: '/account', lazy: () => import('../pages/account/account-page') },
              { path: '/organizations', lazy: () => import('../pages/organizations/organizations-page') },
              { path: '/organizations/new', lazy: () => import('../pages/organizations/new-organization-page') },
              {
                path: '/organizations/:organizationId',
                lazy: () => import('../pages/organizations/organization-page'),
              },
              { path: '/webhooks', lazy: () => import('../pages/webhooks/webhooks-page') },
              { path: '/webhooks/new', lazy: () => import('../pages/webhooks/new-webhook-page') },
              { path: '/webhooks/receivers', lazy: () => import('../pages/webhooks/receivers-page') },
              { path: '/webhooks/receivers/:boxId', lazy: () => import('../pages/webhooks/receiver-page') },
              { path: '/webhooks/:webhookId', lazy: () => import('../pages/webhooks/webhook-page') },
              { path: '*', element: <UnknownPage /> },
            ],
          },
        ],
      },
    ],
  },
]);
