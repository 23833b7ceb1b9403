import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
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
  /** Tag of the state of what the labels belong to. */
  readonly etag: string;
  /** @param etag of the state that the changes were made on */
  readonly onSave: (changes: LabelChanges, etag: string) => Promise<unknown>;
  /** Reads what the labels belong to anew, after somebody else was faster. */
  readonly onReload: () => Promise<unknown>;
}

/** Labels as they are typed; `etag` is null once their writer has seen what others changed meanwhile. */
interface Typed {
  readonly labels: readonly DraftLabel[];
  readonly etag: string | null;
}

/** Labels of a project or task, to be read and changed. What was typed stays until it is saved or thrown away. */
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
  const before = toDrafts(data ?? []);
  const changes = drafts === null ? [] : toChanges(before, drafts);
  const deleted = changes.filter((change) => change.deleted === true);
  const save = useMutation({
    mutationFn: () => onSave(changes, typed?.etag ?? etag),
    onSuccess: async () => {
      setAsking(false);
      await client.invalidateQueries({ queryKey });
      setDrafts(null);
      showSuccess('The labels are saved.');
    },
    onError: () => setAsking(false),
  });
  if (data === undefined)
    return error === null ? <PageLoader /> : <ErrorPanel error={error} onRetry={() => void refetch()} />;
  const problem = drafts === null ? null : labelsProblem(drafts);
  const isOutdated = save.error !== null && explain(save.error).status === 412;
  const seeAnew = async (): Promise<void> => {
    await Promise.all([onReload(), refetch()]);
    setTyped((known) => (known === null ? null : { ...known, etag: null }));
    save.reset();
  };
  return (
    <Stack>
      <LabelEditor labels={drafts ?? before} onChange={setDrafts} key={data.map(({ id }) => id).join()} />
      {save.error !== null && <ErrorPanel error={save.error} onRetry={isOutdated ? () => void seeAnew() : undefined} />}
      {drafts !== null && changes.length > 0 && (
        <Group>
          <Button
            disabled={problem !== null}
            loading={save.isPending}
            onClick={() => (deleted.length > 0 ? setAsking(true) : save.mutate())}
          >
            Save the labels
          </Button>
          <Button variant="default" onClick={() => setDrafts(null)}>
            Discard the changes
          </Button>
          <Text size="sm" c={problem === null ? 'dimmed' : 'red'} role="status">
            {problem ?? 'Not saved yet.'}
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
