import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { api, type Format, type Project } from '../../app/api';

/** Where files of something usually come from, or go to. */
type Usual = Project['target_storage'];

/** What annotations are taken from or put into. */
export interface ExchangeTarget {
  readonly kind: 'project' | 'task' | 'job';
  readonly id: number;
  readonly name: string;
  readonly source: Usual;
  readonly destination: Usual;
}

export interface ExchangeProps {
  readonly target: ExchangeTarget;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** @returns of whatever has annotations: how it takes part in the exchange of files */
export const exchangeTarget = (
  kind: ExchangeTarget['kind'],
  of: { readonly id: number; readonly source_storage: Usual; readonly target_storage: Usual },
  name: string,
): ExchangeTarget => ({ kind, id: of.id, name, source: of.source_storage, destination: of.target_storage });

/** @returns id of the cloud storage, null for this computer */
export const usualCloud = (usual: Usual): number | null =>
  usual?.location === 'cloud_storage' ? (usual.cloud_storage_id ?? null) : null;

/** Says where a file comes from or goes to, whatever is usual. @param cloud null for this computer */
export const locationOf = (cloud: number | null): Readonly<Record<string, string>> =>
  cloud === null ? { location: 'local' } : { location: 'cloud_storage', cloud_storage_id: String(cloud) };

/** Formats of the server, in its order. */
export function useFormats(enabled: boolean) {
  return useQuery({
    queryKey: ['formats'],
    queryFn: async () => unwrap(await api.GET('/api/server/annotation/formats')),
    staleTime: Infinity,
    enabled,
  });
}

/** @returns names of the formats that are switched on */
export const namesOf = (formats: readonly Format[] = []): string[] =>
  formats.flatMap(({ name, enabled }) => (enabled ? [name] : []));
