import { Stack } from '@mantine/core';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { api, type BasicUser } from '../../app/api';
import { useDraft } from '../../app/drafts';
import { DetailField } from '../../components/detail-field';
import { type DraftLabel, LabelEditor, toInputs } from '../../components/label-editor';
import { FormSection, NewPage } from '../../components/new-page';
import { PermittedPage, useMayCreate } from '../../components/rights';
import { UserSelect } from '../../components/user-select';

const EMPTY = { name: '', tracker: '', assignee: null as BasicUser | null, labels: [] as readonly DraftLabel[] };

export const Component = (): ReactNode => (
  <PermittedPage
    isPermitted={useMayCreate()}
    title="New project"
    crumb={{ to: '/projects', title: 'Projects' }}
    who="In an organization, supervisors, maintainers and the owner can create projects."
  >
    <NewProject />
  </PermittedPage>
);

function NewProject(): ReactNode {
  const [draft, setDraft, forgetDraft] = useDraft('new project', EMPTY);
  const set = (part: Partial<typeof EMPTY>): void => setDraft((before) => ({ ...before, ...part }));
  const { name, tracker, assignee, labels } = draft;
  const [jsonProblem, setJsonProblem] = useState<string | null>(null);
  const create = async () => {
    const body = {
      name: name.trim(),
      bug_tracker: tracker.trim(),
      ...(assignee === null ? {} : { assignee_id: assignee.id }),
      labels: toInputs(labels, jsonProblem),
    };
    return unwrap(await api.POST('/api/projects', { body }));
  };
  return (
    <NewPage
      kind="project"
      create={create}
      onCreated={forgetDraft}
      action="Create project"
      onClear={draft === EMPTY ? undefined : () => setDraft(EMPTY)}
    >
      {(fields) => (
        <>
          <div className="panel panel--padded">
            <Stack>
              <DetailField of="name" value={name} onChange={(to) => set({ name: to })} errors={fields} />
              <DetailField of="bug_tracker" value={tracker} onChange={(to) => set({ tracker: to })} errors={fields} />
              <UserSelect
                label="Assignee"
                value={assignee}
                error={fields['assignee_id']}
                onChange={(to) => set({ assignee: to })}
              />
            </Stack>
          </div>
          <FormSection title="Labels">
            <LabelEditor
              labels={labels}
              onChange={(next) => set({ labels: next })}
              error={fields['labels']}
              jsonProblem={jsonProblem}
              onJsonProblem={setJsonProblem}
            />
          </FormSection>
        </>
      )}
    </NewPage>
  );
}
