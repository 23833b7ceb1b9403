import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, type ImportReport } from '../app/api';
import { Confirm } from './confirm';
import { showProblem } from './notify';

/** Restores the annotations that an import has replaced. Asks first if they were changed since. */
export function UndoImportButton({ report }: { readonly report: ImportReport }): ReactNode {
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { pathname, search } = new URL(report.restore_url ?? '', window.location.origin);
  const restore = async (): Promise<void> => {
    await api.send(`${pathname}${search}`, { method: 'POST' });
    void client.invalidateQueries();
  };
  const undo = useMutation({
    mutationFn: async () => {
      if ((await newestRevision(pathname)) === report.revision) {
        await restore();
        return true;
      }
      setAsking(true);
      return false;
    },
    onError: showProblem,
  });
  if (undo.data === true) {
    return (
      <Text size="sm" role="status">
        The previous annotations are restored.
      </Text>
    );
  }
  return (
    <>
      <Button size="xs" variant="default" loading={undo.isPending} onClick={() => undo.mutate()}>
        Restore previous annotations
      </Button>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Restore previous annotations"
        text="Annotations were saved after the import. Restoring the state before the import removes these changes, too. They stay in the history."
        action="Restore"
        onConfirm={restore}
      />
    </>
  );
}

/** @param pathname of the URL that restores a revision */
async function newestRevision(pathname: string): Promise<number | undefined> {
  const list = pathname.replace(/\/\d+\/restore$/, '');
  const { results } = (await (await api.send(`${list}?page_size=1`)).json()) as { results: { id: number }[] };
  return results[0]?.id;
}
