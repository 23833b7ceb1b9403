import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api } from '../../app/api';
import { RequestButton } from '../../components/request-button';
import { queryOf, type QualityTarget, reportsKey } from './target';

/** Starts the computation of a report, and shows that one is running. */
export const CreateReportButton = ({ target }: { readonly target: QualityTarget }): ReactNode => (
  <RequestButton
    title="Create report"
    busyTitle="The report is being computed"
    what={`Quality report of ${target.name}`}
    done="The report is ready."
    requestId={`action=calculate&target=${target.kind}&target_id=${target.id}&subresource=quality`}
    results={reportsKey(target)}
    start={async () => unwrap(await api.POST('/api/quality/reports', { body: queryOf(target) }))}
  />
);
