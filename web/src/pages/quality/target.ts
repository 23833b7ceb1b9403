import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { api, type QualityReport, readAll } from '../../app/api';
import type { ReportDocument } from './report-data';

/** The task or project whose quality is shown. */
export interface QualityTarget {
  readonly kind: 'task' | 'project';
  readonly id: number;
  readonly name: string;
  /** Project of a task. */
  readonly projectId: number | null;
  readonly is3d: boolean;
  /** Whether the user can create reports and see them. */
  readonly mayCheck: boolean;
  /** Whether the user can change the settings. */
  readonly mayChange: boolean;
}

export const queryOf = ({ kind, id }: QualityTarget) => (kind === 'task' ? { task_id: id } : { project_id: id });

const REPORTS = 'quality/reports';
/** The trend shows at most this number of reports. */
const MAX_REPORTS = 50;

export const reportsKey = ({ kind, id }: QualityTarget): readonly unknown[] => [REPORTS, kind, id];

/** The latest reports of a task or project, newest first. */
export const useReports = (target: QualityTarget) =>
  useQuery({
    queryKey: reportsKey(target),
    queryFn: async ({ signal }) => {
      const query = { ...queryOf(target), target: target.kind, sort: '-id', page_size: String(MAX_REPORTS) };
      return unwrap(await api.GET('/api/quality/reports', { params: { query }, signal })).results;
    },
    enabled: target.mayCheck,
  });

/** The reports of the jobs, or of the tasks, in a report. */
export const useChildReports = (report: QualityReport, of: 'job' | 'task') =>
  useQuery({
    queryKey: [REPORTS, 'in', report.id, of],
    queryFn: () => readAll('/api/quality/reports', { query: { parent_id: report.id, target: of, sort: 'id' } }),
    staleTime: Infinity,
  });

/** The numbers of a report by annotator, lowest accuracy first. */
export const useAnnotators = ({ id }: QualityReport) =>
  useQuery({
    queryKey: [REPORTS, 'annotators', id],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET('/api/quality/reports/{id}/annotators', { params: { path: { id } }, signal })),
    staleTime: Infinity,
  });

export const useReportDocument = ({ id }: QualityReport) =>
  useQuery({
    queryKey: [REPORTS, 'data', id],
    queryFn: async ({ signal }) =>
      unwrap(
        await api.GET('/api/quality/reports/{id}/data', {
          params: { path: { id }, query: { frames: 'false' } },
          signal,
        }),
      ) as unknown as ReportDocument,
    staleTime: Infinity,
  });
