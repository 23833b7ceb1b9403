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
  /** After a guide was made or deleted: reads what it is of anew. */
  readonly onCreated: () => Promise<unknown>;
}

/** What annotators are told: read, written, deleted. They see it on the pages of their jobs. */
export function GuidePanel({ of, guideId, onCreated }: GuidePanelProps): ReactNode {
  const client = useQueryClient();
  const [isWriting, setWriting] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: guideKey(guideId ?? 0),
    queryFn: ({ signal }) => readGuide(guideId ?? 0, signal),
    enabled: guideId !== null,
  });
  // While somebody writes, the guide may come to be: the text stays where it is.
  if (guideId !== null && data === undefined && !isWriting)
    return error === null ? <PageLoader /> : <ErrorPanel error={error} onRetry={() => void refetch()} />;
  const guide = guideId === null ? null : (data ?? null);
  if (isWriting) {
    return (
      <GuideEditor of={of} guide={guide} onReload={refetch} onCreated={onCreated} onDone={() => setWriting(false)} />
    );
  }
  if (guide === null || guide.value.markdown.trim() === '') {
    return (
      <EmptyState
        icon="task"
        title="No guide yet"
        text="A guide tells annotators what to mark, and how. They find it on the pages of their jobs."
        action={<Button onClick={() => setWriting(true)}>Write a guide</Button>}
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
        <Button variant="default" onClick={() => setWriting(true)}>
          Change the guide
        </Button>
        <ConfirmButton
          title="Delete the guide?"
          text="Its pictures go with it. This cannot be undone."
          action="Delete the guide"
          onConfirm={remove}
        >
          Delete
        </ConfirmButton>
      </Group>
    </Stack>
  );
}
