import { Button, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Organization } from '../../app/api';
import { useDraft } from '../../app/drafts';
import { explain } from '../../app/problems';
import { ErrorPanel } from '../../components/error-panel';
import { submitting } from '../../components/submitting';
import { tooLong } from '../../components/too-long';

export interface OrganizationValues {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
}

interface OrganizationFormProps {
  /** Name of the draft. */
  readonly of: string;
  readonly present?: Organization;
  readonly action: string;
  readonly onSave: (values: OrganizationValues) => Promise<unknown>;
}

const UNTOUCHED: Partial<OrganizationValues> = {};

export function OrganizationForm({ of, present, action, onSave }: OrganizationFormProps): ReactNode {
  const [typed, setTyped, forgetTyped] = useDraft(of, UNTOUCHED);
  const { slug = '', name = '', description = '' } = { ...present, ...typed };
  const save = useMutation({
    mutationFn: () => onSave({ slug, name, description }),
    onSuccess: () => (present === undefined ? forgetTyped() : setTyped(UNTOUCHED)),
  });
  const fields = save.error === null ? {} : explain(save.error).fields;
  const set = (part: Partial<OrganizationValues>): void => setTyped((before) => ({ ...before, ...part }));
  return (
    <form onSubmit={submitting(save)} className="panel panel--padded">
      <Stack maw={560}>
        <TextInput
          label="Short name"
          description="Identifies the organization in URLs and in the API. Up to 16 letters, digits, - and _."
          required
          title="Letters, digits, - and _"
          pattern="[\-a-zA-Z0-9_]+"
          value={slug}
          error={fields['slug'] ?? tooLong(slug, 16)}
          onChange={(event) => set({ slug: event.currentTarget.value })}
        />
        <TextInput
          label="Name"
          value={name}
          error={fields['name'] ?? tooLong(name, 64)}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <Textarea
          label="Description"
          autosize
          minRows={2}
          maxRows={8}
          value={description}
          error={fields['description']}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
        {save.error !== null && <ErrorPanel error={save.error} />}
        <Button type="submit" w="fit-content" loading={save.isPending}>
          {action}
        </Button>
      </Stack>
    </form>
  );
}
