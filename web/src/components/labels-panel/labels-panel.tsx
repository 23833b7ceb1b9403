import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { readAll } from '../../app/api';
import { useDraft } from '../../app/drafts';
import { explain } from '../../app/problems';
import { ErrorPanel } from '../error-panel';
import { type DraftLabel, LabelEditor, labelsProblem, toChanges, toDrafts } from '../label-editor';
import { showSuccess } from '../notify';
import { PageLoader } from '../page-loader';

type LabelChanges = ReturnType<typeof toChanges>;

interface LabelsPanelProps {
  readonly of: { readonly project_id: number } | { readonly task_id: number };
  /** ETag of the project or task. */
  readonly etag: string;
  /** @param etag of the version that was edited */
  readonly onSave: (changes: LabelChanges, etag: string) => Promise<unknown>;
  /** Reloads the project or task after an edit conflict. */
  readonly onReload: () => Promise<unknown>;
}

/** Edited labels. `etag` is null once the user has loaded the changes of others after a conflict. */
interface Typed {
  readonly labels: readonly DraftLabel[];
  readonly etag: string | null;
}

/** Shows and edits the labels of a project or task. Edits are kept until they are saved or discarded. */
export function LabelsPanel({ of, etag, onSave, onReload }: LabelsPanelProps): ReactNode {
  const client = useQueryClient();
  const queryKey = ['labels', of] as const;
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: () => readAll('/api/labels', { query: { ...of, sort: 'id' } }),
  });
  const [typed, setTyped] = useDraft<Typed | null>(`labels of ${JSON.stringify(of)}`, null);
  const drafts = typed?.labels ?? null;
  const setDrafts = (labels: readonly DraftLabel[] | null): void =>
    setTyped((known) => (labels === null ? null : { labels, etag: known === null ? etag : known.etag }));
  const [isAsking, setAsking] = useState(false);
  const [jsonProblem, setJsonProblem] = useState<string | null>(null);
  const before = useMemo(() => toDrafts(data ?? []), [data]);
  const changes = drafts === null ? [] : toChanges(before, drafts);
  const deleted = changes.filter((change) => change.deleted === true);
  const save = useMutation({
    mutationFn: () => onSave(changes, typed?.etag ?? etag),
    onSuccess: async () => {
      setAsking(false);
      await client.invalidateQueries({ queryKey });
      setDrafts(null);
      showSuccess('Labels saved.');
    },
    onError: () => setAsking(false),
  });
  if (data === undefined)
    return error === null ? <PageLoader /> : <ErrorPanel error={error} onRetry={() => void refetch()} />;
  const problem = drafts === null ? null : labelsProblem(drafts, jsonProblem);
  const isOutdated = save.error !== null && explain(save.error).status === 412;
  const reload = async (): Promise<void> => {
    await Promise.all([onReload(), refetch()]);
    setTyped((known) => (known === null ? null : { ...known, etag: null }));
    save.reset();
  };
  return (
    <Stack>
      <LabelEditor
        labels={drafts ?? before}
        onChange={setDrafts}
        jsonProblem={jsonProblem}
        onJsonProblem={setJsonProblem}
        key={data.map(({ id }) => id).join()}
      />
      {save.error !== null && <ErrorPanel error={save.error} onRetry={isOutdated ? () => void reload() : undefined} />}
      {drafts !== null && changes.length > 0 && (
        <Group>
          <Button
            disabled={problem !== null}
            loading={save.isPending}
            onClick={() => (deleted.length > 0 ? setAsking(true) : save.mutate())}
          >
            Save labels
          </Button>
          <Button variant="default" onClick={() => setDrafts(null)}>
            Discard changes
          </Button>
          <Text size="sm" c={problem === null ? 'dimmed' : 'red'} role="status">
            {problem ?? 'Unsaved changes'}
          </Text>
        </Group>
      )}
      <Modal opened={isAsking} onClose={() => setAsking(false)} title="Delete labels?" centered>
        <Text size="sm" mb="md">
          This deletes {deleted.map(({ name }) => name).join(', ')} and all annotations that use{' '}
          {deleted.length === 1 ? 'it' : 'them'}. This cannot be undone.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={save.isPending} onClick={() => save.mutate()}>
            Delete and save
          </Button>
        </Group>
      </Modal>
    </Stack>
  );
}
