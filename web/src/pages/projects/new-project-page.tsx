import { Stack } from '@mantine/core';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api } from '../../app/api';
import { useDraft } from '../../app/drafts';
import { DetailField } from '../../components/detail-field';
import { type DraftLabel, LabelEditor, toInputs } from '../../components/label-editor';
import { FormSection, NewPage } from '../../components/new-page';

const EMPTY = { name: '', tracker: '', labels: [] as readonly DraftLabel[] };

export function Component(): ReactNode {
  const [draft, setDraft, forgetDraft] = useDraft('new project', EMPTY);
  const set = (part: Partial<typeof EMPTY>): void => setDraft((before) => ({ ...before, ...part }));
  const { name, tracker, labels } = draft;
  const make = async () => {
    const body = { name: name.trim(), bug_tracker: tracker.trim(), labels: toInputs(labels) };
    return unwrap(await api.POST('/api/projects', { body }));
  };
  return (
    <NewPage
      kind="project"
      make={make}
      onMade={forgetDraft}
      action="Create the project"
      onEmpty={draft === EMPTY ? undefined : () => setDraft(EMPTY)}
    >
      {(fields) => (
        <>
          <div className="panel panel--padded">
            <Stack>
              <DetailField of="name" value={name} onChange={(to) => set({ name: to })} errors={fields} />
              <DetailField of="bug_tracker" value={tracker} onChange={(to) => set({ tracker: to })} errors={fields} />
            </Stack>
          </div>
          <FormSection title="Labels">
            <LabelEditor labels={labels} onChange={(next) => set({ labels: next })} />
          </FormSection>
        </>
      )}
    </NewPage>
  );
}
