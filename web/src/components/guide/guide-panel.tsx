import { Button, Group, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { api } from '../../app/api';
import { ConfirmButton } from '../confirm';
import { EmptyState } from '../empty-state';
import { ErrorPanel } from '../error-panel';
import { PageLoader } from '../page-loader';
import { GuideEditor, type GuideTarget } from './guide-editor';
import { GuideText } from './guide-text';
import { guideKey, readGuide } from './read-guide';

interface GuidePanelProps {
  readonly of: GuideTarget;
  readonly guideId: number | null;
  /** Reloads the project or task after its guide was created or deleted. */
  readonly onCreated: () => Promise<unknown>;
}

/** Shows, edits and deletes the guide. Annotators see it on the pages of their jobs. */
export function GuidePanel({ of, guideId, onCreated }: GuidePanelProps): ReactNode {
  const client = useQueryClient();
  const [isEditing, setEditing] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: guideKey(guideId ?? 0),
    queryFn: ({ signal }) => readGuide(guideId ?? 0, signal),
    enabled: guideId !== null,
  });
  // Adding an image creates the guide: keep the editor open.
  if (guideId !== null && data === undefined && !isEditing)
    return error === null ? <PageLoader /> : <ErrorPanel error={error} onRetry={() => void refetch()} />;
  const guide = guideId === null ? null : (data ?? null);
  if (isEditing) {
    return (
      <GuideEditor of={of} guide={guide} onReload={refetch} onCreated={onCreated} onDone={() => setEditing(false)} />
    );
  }
  if (guide === null || guide.value.markdown.trim() === '') {
    return (
      <EmptyState
        icon="task"
        title="No guide yet"
        text="A guide explains to annotators what to annotate and how. It is shown on the pages of their jobs."
        action={<Button onClick={() => setEditing(true)}>Write guide</Button>}
      />
    );
  }
  const remove = async (): Promise<void> => {
    const path = { id: guide.value.id };
    unwrap(await api.DELETE('/api/guides/{id}', { params: { path } }));
    await onCreated();
    client.removeQueries({ queryKey: guideKey(path.id) });
  };
  return (
    <Stack>
      <section className="panel panel--padded" aria-label="Guide">
        <GuideText text={guide.value.markdown} />
      </section>
      <Group>
        <Button variant="default" onClick={() => setEditing(true)}>
          Edit guide
        </Button>
        <ConfirmButton
          title="Delete the guide?"
          text="This also deletes its images. This cannot be undone."
          action="Delete guide"
          onConfirm={remove}
        >
          Delete
        </ConfirmButton>
      </Group>
    </Stack>
  );
}
