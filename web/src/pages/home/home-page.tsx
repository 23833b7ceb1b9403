import type { ReactNode } from 'react';
import { Navigate } from 'react-router';
import { PageLoader } from '../../components/page-loader';
import { useMayMake } from '../../components/rights';

/** Leads to the work: those who cannot create projects here have jobs. */
export function Component(): ReactNode {
  const mayMake = useMayMake();
  return mayMake === undefined ? <PageLoader /> : <Navigate to={mayMake ? '/projects' : '/jobs'} replace />;
}
