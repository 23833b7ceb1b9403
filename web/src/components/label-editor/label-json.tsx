import { Alert, Stack, Textarea } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { type DraftLabel, nameProblems } from './draft';
import { fromJson, toJson } from './labels-json';

interface LabelJsonProps {
  readonly labels: readonly DraftLabel[];
  readonly onChange: (labels: readonly DraftLabel[]) => void;
  readonly onProblem: (problem: string | null) => void;
}

/** Edits all labels as JSON. Invalid JSON changes nothing; `onProblem` is called with what is wrong, until it is correct. */
export function LabelJson({ labels, onChange, onProblem }: LabelJsonProps): ReactNode {
  const [typed, setTyped] = useState<{ text: string; of: readonly DraftLabel[]; problem: string | null } | null>(null);
  // The text belongs to these labels: other ones replace it, such as after “Clear form”.
  const isCurrent = typed?.of === labels;
  const text = isCurrent ? typed.text : toJson(labels);
  const problem = isCurrent ? typed.problem : null;
  useEffect(() => {
    onProblem(problem);
    return () => onProblem(null);
  }, [problem, onProblem]);
  const [nameProblem] = nameProblems(labels).values();
  const shown = problem ?? nameProblem;
  const change = (next: string): void => {
    try {
      const read = withRemoved(fromJson(next), labels);
      setTyped({ text: next, of: read, problem: null });
      onChange(read);
    } catch (error) {
      setTyped({ text: next, of: labels, problem: (error as Error).message });
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
      {shown !== undefined && (
        <Alert color="orange" role="alert" title="The JSON has an error">
          {shown}
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
