import { Alert, Stack, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { DraftLabel } from './draft';
import type { LabelEditorProps } from './label-editor';
import { fromJson, toJson } from './labels-json';

/** All labels as one text. What cannot be read changes nothing. */
export function LabelJson({ labels, onChange }: LabelEditorProps): ReactNode {
  const [text, setText] = useState(() => toJson(labels));
  const [problem, setProblem] = useState<string | null>(null);
  const change = (next: string): void => {
    setText(next);
    try {
      onChange(withRemoved(fromJson(next), labels));
      setProblem(null);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <Stack gap="xs">
      <Textarea
        label="Labels as JSON"
        description="Copy it from another project, or write it. An id keeps a label that is there already; a label that is left out is deleted when you save."
        autosize
        minRows={10}
        maxRows={30}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {problem !== null && (
        <Alert color="orange" role="alert" title="These labels are not taken over yet">
          {problem}
        </Alert>
      )}
    </Stack>
  );
}

/** Labels of the server that the text leaves out stay visible as removed ones until they are saved. */
function withRemoved(read: readonly DraftLabel[], before: readonly DraftLabel[]): readonly DraftLabel[] {
  const ids = new Set(read.map(({ id }) => id));
  const missing = before.filter(({ id }) => id !== undefined && !ids.has(id));
  return [...read, ...missing.map((label) => ({ ...label, isRemoved: true }))];
}
