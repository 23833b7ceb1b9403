import { ActionIcon, Alert, Button, Group, Text } from '@mantine/core';
import type { UploadFile } from 'cairn-client';
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import classes from './file-drop.module.css';
import { fileSize } from './file-size';
import { Icon } from './icons';
import { showProblem } from './notify';
import { counted } from './counted';
import { fileWarnings } from './file-warnings';

interface FileDropProps {
  readonly files: readonly UploadFile[];
  readonly onChange: (files: readonly UploadFile[]) => void;
}

const MAX_PREVIEWS = 8;

/** Selects files, folders and archives by drag and drop or in a dialog. Files in folders keep their paths. */
export function FileDrop({ files, onChange }: FileDropProps): ReactNode {
  const [isOver, setOver] = useState(false);
  const [isReading, setReading] = useState(false);
  const fileInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const add = (found: readonly UploadFile[]): void => {
    const known = new Map([...files, ...found.filter(isSendable)].map((file) => [file.name, file]));
    onChange([...known.values()]);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    setReading(true);
    void readDropped(event.dataTransfer)
      .then(add, showProblem)
      .finally(() => setReading(false));
  };
  const select = (list: FileList | null): void =>
    add([...(list ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, data: file })));
  useEffect(keepPageFromDrops, []);
  const bytes = files.reduce((sum, { data }) => sum + data.size, 0);
  return (
    <div>
      <div
        className={classes['zone']}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        role="group"
        aria-label="Files of the task"
      >
        <Icon name="upload" size={32} />
        <Text fw={600}>{isReading ? 'Reading folders …' : 'Drop images, a video, folders or an archive here'}</Text>
        <Text size="sm" c="dimmed">
          Images, point clouds, one video, one PDF, or one archive (zip, tar, 7z)
        </Text>
        <Group gap="xs" justify="center">
          <Button variant="default" size="xs" onClick={() => fileInput.current?.click()}>
            Select files
          </Button>
          <Button variant="default" size="xs" onClick={() => folderInput.current?.click()}>
            Select folder
          </Button>
        </Group>
        <input
          ref={fileInput}
          type="file"
          multiple
          hidden
          aria-label="Files"
          onChange={(event) => select(event.currentTarget.files)}
        />
        <input
          ref={folderInput}
          type="file"
          hidden
          aria-label="Folder"
          {...{ webkitdirectory: '' }}
          onChange={(event) => select(event.currentTarget.files)}
        />
      </div>
      {files.length > 0 && (
        <div className={classes['selected']}>
          <Group justify="space-between">
            <Text size="sm" fw={600} aria-live="polite">
              {counted(files.length, 'file')}, {fileSize(bytes)}
            </Text>
            <Button size="compact-sm" variant="subtle" color="red" onClick={() => onChange([])}>
              Remove all
            </Button>
          </Group>
          <ul className={classes['images']}>
            {files.slice(0, MAX_PREVIEWS).map((file) => (
              <SelectedFile
                key={file.name}
                file={file}
                onRemove={() => onChange(files.filter((each) => each !== file))}
              />
            ))}
          </ul>
          <FileWarning names={files.map(({ name }) => name)} />
          {files.length > MAX_PREVIEWS && (
            <Text size="sm" c="dimmed">
              and {(files.length - MAX_PREVIEWS).toLocaleString('en')} more
            </Text>
          )}
        </div>
      )}
    </div>
  );
}

/** Warns of files that the server ignores or does not accept in one task. */
function FileWarning({ names }: { readonly names: readonly string[] }): ReactNode {
  const warnings = fileWarnings(names);
  if (warnings.length === 0) return null;
  return (
    <Alert color="orange" variant="light" title="Check the files" role="status">
      {warnings.map((text) => (
        <Text size="sm" key={text}>
          {text}
        </Text>
      ))}
    </Alert>
  );
}

/** Keeps the browser from leaving the page to open a file that is dropped outside the zone. @returns the cleanup */
function keepPageFromDrops(): () => void {
  const keep = (event: Event): void => event.preventDefault();
  window.addEventListener('dragover', keep);
  window.addEventListener('drop', keep);
  return () => {
    window.removeEventListener('dragover', keep);
    window.removeEventListener('drop', keep);
  };
}

function SelectedFile({ file, onRemove }: { readonly file: UploadFile; readonly onRemove: () => void }): ReactNode {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!/^image\/(jpeg|png|gif|webp|bmp|avif)$/.test(file.data.type)) return undefined;
    const created = URL.createObjectURL(file.data);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [file]);
  return (
    <li className={classes['image']}>
      <div className={classes['thumbnail']}>
        {url === null ? <Icon name="job" size={24} /> : <img src={url} alt="" decoding="async" />}
      </div>
      <Text size="xs" truncate="start" title={file.name}>
        <bdi>{file.name}</bdi>
      </Text>
      <ActionIcon
        className={classes['remove']}
        size="sm"
        variant="default"
        aria-label={`Remove ${file.name}`}
        onClick={onRemove}
      >
        <Icon name="close" size={12} />
      </ActionIcon>
    </li>
  );
}

/** Leaves out empty files and hidden files that operating systems create in folders. */
const isSendable = ({ name, data }: UploadFile): boolean =>
  data.size > 0 && !/(^|\/)(\.[^/]*|Thumbs\.db|desktop\.ini|__MACOSX\/.*)$/.test(name);

async function readDropped(data: DataTransfer): Promise<UploadFile[]> {
  const entries = [...data.items].flatMap((item) => {
    const entry = item.webkitGetAsEntry();
    return entry === null ? [] : [entry];
  });
  if (entries.length === 0) return [...data.files].map((file) => ({ name: file.name, data: file }));
  return (await Promise.all(entries.map(readEntry))).flat();
}

async function readEntry(entry: FileSystemEntry): Promise<UploadFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ name: entry.fullPath.replace(/^\//, ''), data: file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: UploadFile[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found; // readEntries returns a folder in batches
    for (const each of some) found.push(...(await readEntry(each)));
  }
}
