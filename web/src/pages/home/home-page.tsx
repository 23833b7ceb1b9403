import type { ReactNode } from 'react';
import { Navigate } from 'react-router';
import { PageLoader } from '../../components/page-loader';
import { useMayCreate } from '../../components/rights';

/** Redirects to the projects, or to the jobs for users who cannot create projects. */
export function Component(): ReactNode {
  const mayCreate = useMayCreate();
  return mayCreate === undefined ? <PageLoader /> : <Navigate to={mayCreate ? '/projects' : '/jobs'} replace />;
}
