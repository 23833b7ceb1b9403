import { createBrowserRouter } from 'react-router';
import { PageLoader } from '../components/page-loader';
import { RouteError } from '../components/route-error';
import { AppLayout } from './app-layout';

/** Pages are loaded when they are first shown; each exports its component as `Component`. */
export const router = createBrowserRouter([
  {
    errorElement: <RouteError />,
    hydrateFallbackElement: <PageLoader />,
    children: [
      { path: '/login', lazy: () => import('../pages/login/login-page') },
      {
        element: <AppLayout />,
        children: [
          {
            errorElement: <RouteError />,
            children: [{ path: '/jobs/:jobId', lazy: () => import('../pages/job/job-page') }],
          },
        ],
      },
    ],
  },
]);
