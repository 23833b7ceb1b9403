import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { api, type Format, type Project } from '../../app/api';

/** The default location of imports or exports. */
type DefaultLocation = Project['target_storage'];

/** The object that annotations are exported from or imported into. */
export interface ExchangeTarget {
  readonly kind: 'project' | 'task' | 'job';
  readonly id: number;
  readonly name: string;
  /** `2d` or `3d`; null for a project without frames. */
  readonly dimension: string | null;
  readonly source: DefaultLocation;
  readonly destination: DefaultLocation;
}

export interface ExchangeProps {
  readonly target: ExchangeTarget;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** @returns a project, task or job as a target of exports and imports */
export const exchangeTarget = (
  kind: ExchangeTarget['kind'],
  of: {
    readonly id: number;
    readonly dimension?: string | null;
    readonly source_storage: DefaultLocation;
    readonly target_storage: DefaultLocation;
  },
  name: string,
): ExchangeTarget => ({
  kind,
  id: of.id,
  name,
  dimension: of.dimension ?? null,
  source: of.source_storage,
  destination: of.target_storage,
});

/** @returns ID of the cloud storage, or null for this computer */
export const defaultCloud = (location: DefaultLocation): number | null =>
  location?.location === 'cloud_storage' ? (location.cloud_storage_id ?? null) : null;

/** @returns query parameters for the location of a file @param cloud ID of a cloud storage, or null for this computer */
export const locationOf = (cloud: number | null): Readonly<Record<string, string>> =>
  cloud === null ? { location: 'local' } : { location: 'cloud_storage', cloud_storage_id: String(cloud) };

/** Annotation formats in the order of the server. */
export function useFormats(enabled: boolean) {
  return useQuery({
    queryKey: ['formats'],
    queryFn: async () => unwrap(await api.GET('/api/server/annotation/formats')),
    staleTime: Infinity,
    enabled,
  });
}

/** @returns names of the enabled formats for images or for point clouds, whichever the object has; CVAT's fit both */
export const namesOf = (formats: readonly Format[] = [], { dimension: has }: ExchangeTarget): string[] =>
  formats.flatMap(({ name, enabled, dimension }) =>
    enabled && (has === null || dimension === has || name.startsWith('CVAT ')) ? [name] : [],
  );
