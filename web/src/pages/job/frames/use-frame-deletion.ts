import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { api } from '../../../app/api';
import { showProblem } from '../../../components/notify';
import { metaQuery } from '../data/job-queries';

/** @returns a function that deletes or restores a frame of a job */
export function useFrameDeletion(jobId: number): (frame: number, isDeleted: boolean) => void {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: async ({ frame, isDeleted }: { readonly frame: number; readonly isDeleted: boolean }) => {
      const params = { path: { id: jobId } };
      // A request replaces the whole list, which somebody else may have changed.
      const { deleted_frames: known } = unwrap(await api.GET('/api/jobs/{id}/data/meta', { params }));
      const others = known.filter((number) => number !== frame);
      const body = { deleted_frames: isDeleted ? [...others, frame] : others };
      return unwrap(await api.PATCH('/api/jobs/{id}/data/meta', { params, body }));
    },
    scope: { id: `deleted frames of job ${jobId}` }, // one at a time
    onSuccess: (meta) => client.setQueryData(metaQuery(jobId).queryKey, meta),
    onError: showProblem,
  });
  return (frame, isDeleted) => mutate({ frame, isDeleted });
}
