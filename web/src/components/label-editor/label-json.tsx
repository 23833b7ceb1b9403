import { Alert, Stack, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { DraftLabel } from './draft';
import type { LabelEditorProps } from './label-editor';
import { fromJson, toJson } from './labels-json';

/** Edits all labels as JSON. Invalid JSON changes nothing. */
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
        description="Labels with an “id” keep their annotations. Labels that you leave out are deleted when you save."
        autosize
        minRows={10}
        maxRows={30}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {problem !== null && (
        <Alert color="orange" role="alert" title="The JSON has an error">
          {problem}
        </Alert>
      )}
    </Stack>
  );
}

/** Saved labels that the JSON leaves out stay visible as removed until the change is saved. */
function withRemoved(read: readonly DraftLabel[], before: readonly DraftLabel[]): readonly DraftLabel[] {
  const ids = new Set(read.map(({ id }) => id));
  const missing = before.filter(({ id }) => id !== undefined && !ids.has(id));
  return [...read, ...missing.map((label) => ({ ...label, isRemoved: true }))];
}
