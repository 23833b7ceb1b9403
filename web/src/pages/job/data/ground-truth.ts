import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { useCallback, useMemo, useState } from 'react';
import { AnnotationDocument } from '#shared/annotations/editing/document';
import { storedObjects } from '#shared/annotations/editing/edited-object';
import { api, inOrganization, type Job, type Label } from '../../../app/api';
import type { ShownObject } from '../canvas/content';
import { FrameSet } from '../frames/frame-set';
import { AnnotationIndex } from '../scene/annotation-index';
import { readAnnotations } from './annotation-state';
import { jobKey } from './job-queries';
import { ifAllowed } from '../../../components/if-allowed';

/** Distinct from the colours that labels usually have. */
const COLOR = '#ffffff';
const NOTHING: readonly ShownObject[] = [];

/** The key of an object of the ground truth, next to the objects of a job. */
export const truthKeyOf = (key: string): string => `truth ${key}`;

/** The annotations of the task's ground truth job. */
export interface GroundTruth {
  /** Whether there is a ground truth job that the user can read. */
  readonly isAvailable: boolean;
  readonly isShown: boolean;
  readonly setShown: (isShown: boolean) => void;
  /** Its objects on a frame. Empty while they are not shown. */
  readonly at: (frame: number) => readonly ShownObject[];
}

interface Context {
  readonly job: Job;
  /** Slug of the job's organization, empty for none; undefined while it is unknown. */
  readonly organization: string | undefined;
  readonly labels: readonly Label[] | undefined;
  readonly isWanted: boolean;
}

/** Loads the ground truth of a job's task. */
export function useGroundTruth({ job, organization, labels, isWanted }: Context): GroundTruth {
  const [isShown, setShown] = useState(true);
  const { data } = useQuery({
    queryKey: [...jobKey(job.id), 'ground-truth'],
    enabled: isWanted && organization !== undefined && job.type !== 'ground_truth',
    queryFn: ({ signal }) => readGroundTruth(job, organization ?? '', signal),
    staleTime: Infinity,
  });
  const truth = useMemo(() => {
    if (data === undefined || data === null || labels === undefined) return undefined;
    return { frames: data.frames, index: new AnnotationIndex(new AnnotationDocument(data.objects), labels) };
  }, [data, labels]);
  const at = useCallback(
    (frame: number): readonly ShownObject[] => {
      if (truth === undefined || !isWanted || !isShown || !truth.frames.has(frame)) return NOTHING;
      return truth.index.at(frame).map((object) => ({
        object: { ...object, key: truthKeyOf(object.key) },
        color: COLOR,
        note: 'ground truth',
      }));
    },
    [truth, isWanted, isShown],
  );
  const isAvailable = truth !== undefined;
  return useMemo(() => ({ isAvailable, isShown, setShown, at }), [isAvailable, isShown, at]);
}

/** @returns null if there is none, or the user cannot read it */
async function readGroundTruth(job: Job, organization: string, signal: AbortSignal) {
  const headers = inOrganization(organization);
  const query = { task_id: job.task_id, type: 'ground_truth', page_size: '1' };
  const [found] = unwrap(await api.GET('/api/jobs', { params: { query: query as never }, headers, signal })).results;
  if (found === undefined) return null;
  const path = { id: found.id };
  return ifAllowed(
    Promise.all([
      api.GET('/api/jobs/{id}/data/meta', { params: { path }, signal }).then(unwrap),
      readAnnotations(found.id, signal),
    ]).then(([meta, { data }]) => ({ frames: new FrameSet({ job: found, meta }), objects: storedObjects(data) })),
  );
}
