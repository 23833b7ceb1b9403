import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { api, type QualitySettings } from '../../app/api';
import type { QualityTarget } from './target';

const read = async (query: Record<string, unknown>, signal: AbortSignal): Promise<QualitySettings | null> =>
  unwrap(await api.GET('/api/quality/settings', { params: { query: { ...query, page_size: '1' } as never }, signal }))
    .results[0] ?? null;

export const settingsKey = ({ kind, id }: Pick<QualityTarget, 'kind' | 'id'>): readonly unknown[] => [
  'quality/settings',
  kind,
  id,
];

/** The settings of a task or project itself. Null if the user cannot see them. */
export const useSettings = ({ kind, id }: Pick<QualityTarget, 'kind' | 'id'>, enabled = true) =>
  useQuery({
    queryKey: settingsKey({ kind, id }),
    queryFn: ({ signal }) =>
      read(kind === 'task' ? { task_id: id } : { project_id: id, parent_type: 'project' }, signal),
    enabled,
  });

/** The settings with which reports are created: those of the project if the task inherits them. */
export function useUsedSettings(target: QualityTarget) {
  const own = useSettings(target);
  const isInherited = target.kind === 'task' && target.projectId !== null && own.data?.inherit === true;
  const inherited = useSettings({ kind: 'project', id: target.projectId ?? 0 }, isInherited);
  return isInherited ? inherited : own;
}
