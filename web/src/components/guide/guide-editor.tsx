import { Button, FileButton, Group, Stack, Tabs, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ClipboardEvent, type DragEvent, type ReactNode, useEffect, useRef } from 'react';
import { api, type Guide } from '../../app/api';
import { useDraft } from '../../app/drafts';
import { explain } from '../../app/problems';
import { ErrorPanel } from '../error-panel';
import { Icon } from '../icons';
import { showSuccess } from '../notify';
import { submitting } from '../submitting';
import { onlyIf, type Tagged } from '../tagged';
import { GuideText } from './guide-text';
import { guideKey } from './read-guide';
import { tooLong } from '../too-long';

export type GuideTarget = { readonly project_id: number } | { readonly task_id: number };

interface GuideEditorProps {
  readonly of: GuideTarget;
  /** Null if there is no guide yet. */
  readonly guide: Tagged<Guide> | null;
  readonly onReload: () => Promise<unknown>;
  readonly onCreated: () => Promise<unknown>;
  readonly onDone: () => void;
}

/** Uploads an image. @returns Markdown that shows it */
async function uploadImage(guideId: number, file: File): Promise<string> {
  const body = new FormData();
  body.set('file', file, file.name);
  body.set('guide_id', String(guideId));
  const response = await api.send('/api/assets', { method: 'POST', body });
  const { uuid, filename } = (await response.json()) as { readonly uuid: string; readonly filename: string };
  return `![${filename.replaceAll(/[[\]\\]/g, '')}](/api/assets/${uuid})`;
}

/** The edited guide. `etag` is null once the user has loaded the changes of others after a conflict. */
interface Typed {
  readonly markdown: string;
  readonly etag: string | null;
}

const IMAGE_TYPES = 'image/jpeg,image/png,image/webp,image/gif';

/** Edits a guide in Markdown. Edits are kept until they are saved or discarded. */
export function GuideEditor({ of, guide, onReload, onCreated, onDone }: GuideEditorProps): ReactNode {
  const client = useQueryClient();
  const before = guide?.value.markdown ?? '';
  const [typed, setTyped, forget] = useDraft<Typed | null>(`guide of ${JSON.stringify(of)}`, null);
  const text = typed?.markdown ?? before;
  const etag = guide?.etag ?? '';
  const setText = (markdown: string): void =>
    setTyped((known) => ({ markdown, etag: known === null ? etag : known.etag }));
  const field = useRef<HTMLTextAreaElement>(null);
  // The newest text: several image uploads may be in progress.
  const newest = useRef(text);
  useEffect(() => {
    newest.current = text;
  }, [text]);
  const known = useRef(guide?.value.id);

  const create = async (markdown: string): Promise<number> => {
    const created = unwrap(await api.POST('/api/guides', { body: { ...of, markdown } }));
    known.current = created.id;
    await onCreated();
    return created.id;
  };
  const save = useMutation({
    mutationFn: async () => {
      const id = known.current;
      if (id === undefined) return create(text);
      const headers = onlyIf(typed?.etag ?? etag);
      unwrap(await api.PATCH('/api/guides/{id}', { params: { path: { id } }, headers, body: { markdown: text } }));
      return id;
    },
    onSuccess: async (id) => {
      forget();
      await client.invalidateQueries({ queryKey: guideKey(id) });
      showSuccess('Guide saved.');
      onDone();
    },
  });
  const addImages = useMutation({
    mutationFn: async (files: readonly File[]) => {
      for (const file of files) {
        const id = known.current ?? (await create(''));
        insert(await uploadImage(id, file));
      }
    },
  });
  const insert = (image: string): void => {
    const at = Math.min(field.current?.selectionEnd ?? Infinity, newest.current.length);
    newest.current = `${newest.current.slice(0, at)}${image}${newest.current.slice(at)}`;
    setText(newest.current);
  };
  const paste = (event: ClipboardEvent): void => {
    const images = imagesOf(event.clipboardData);
    if (images.length === 0) return;
    event.preventDefault();
    addImages.mutate(images);
  };
  const drop = (event: DragEvent): void => {
    const images = imagesOf(event.dataTransfer);
    if (images.length === 0) return;
    event.preventDefault();
    addImages.mutate(images);
  };
  const reload = async (): Promise<void> => {
    await onReload();
    setTyped({ markdown: text, etag: null });
    save.reset();
  };
  const isOutdated = save.error !== null && explain(save.error).status === 412;
  return (
    <form onSubmit={submitting(save)}>
      <Stack>
        <Tabs defaultValue="write" keepMounted>
          <Group justify="space-between" mb="sm">
            <Tabs.List>
              <Tabs.Tab value="write">Write</Tabs.Tab>
              <Tabs.Tab value="preview">Preview</Tabs.Tab>
            </Tabs.List>
            <FileButton multiple accept={IMAGE_TYPES} onChange={(files) => addImages.mutate(files)}>
              {(props) => (
                <Button
                  {...props}
                  size="xs"
                  variant="default"
                  loading={addImages.isPending}
                  leftSection={<Icon name="image" size={14} />}
                >
                  Add image
                </Button>
              )}
            </FileButton>
          </Group>
          <Tabs.Panel value="write">
            <Textarea
              ref={field}
              aria-label="Guide in Markdown"
              description="Markdown: # heading, **bold**, - list, | table |. You can paste or drop images here."
              autosize
              minRows={12}
              maxRows={32}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 14 } }}
              value={text}
              error={tooLong(text, 1_000_000)}
              onChange={(event) => setText(event.currentTarget.value)}
              onPaste={paste}
              onDrop={drop}
              onDragOver={(event) => event.preventDefault()}
            />
          </Tabs.Panel>
          <Tabs.Panel value="preview">
            <section className="panel panel--padded" aria-label="Guide preview">
              {text.trim() === '' ? (
                <Text size="sm" c="dimmed">
                  Nothing to preview yet.
                </Text>
              ) : (
                <GuideText text={text} />
              )}
            </section>
          </Tabs.Panel>
        </Tabs>
        {addImages.error !== null && <ErrorPanel error={addImages.error} />}
        {save.error !== null && (
          <ErrorPanel error={save.error} onRetry={isOutdated ? () => void reload() : undefined} />
        )}
        <Group>
          <Button type="submit" loading={save.isPending} disabled={text === before && guide !== null}>
            Save guide
          </Button>
          <Button
            variant="default"
            onClick={() => {
              forget();
              onDone();
            }}
          >
            {text === before ? 'Close' : 'Discard changes'}
          </Button>
          {text !== before && (
            <Text size="sm" c="dimmed" role="status">
              Unsaved changes
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}

const imagesOf = ({ files }: DataTransfer): File[] =>
  [...files].filter(({ type }) => IMAGE_TYPES.split(',').includes(type));
