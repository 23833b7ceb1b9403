import { Fieldset, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api, type ConsensusSettings } from '../../app/api';
import { useDraft } from '../../app/drafts';
import { InvalidInput } from '../../app/invalid-input';
import { explain } from '../../app/problems';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { Loaded } from '../../components/loaded';
import { showSuccess } from '../../components/notify';
import { NumberField } from '../../components/number-field';
import { SaveButtons } from '../../components/save-buttons';
import { submitting, useFocusOnRefusal } from '../../components/submitting';

const FIELDS = [
  {
    name: 'quorum',
    label: 'Quorum',
    description:
      'The share of the replicas that must have an object for it to be kept. With 0.5 and three replicas, two must have it.',
  },
  {
    name: 'iou_threshold',
    label: 'Minimum overlap (IoU)',
    description: 'Shapes of two replicas with less overlap are different objects.',
  },
] as const;

/** The field is narrow, but not its description. */
const NARROW = { wrapper: { width: 180 } };

const UNTOUCHED: Readonly<Partial<Record<(typeof FIELDS)[number]['name'], number | null>>> = {};

interface PanelProps {
  readonly taskId: number;
  readonly mayChange: boolean;
}

/** How replicas are merged. */
export function ConsensusSettingsPanel({ taskId, mayChange }: PanelProps): ReactNode {
  const query = useQuery({
    queryKey: ['consensus/settings', taskId],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET('/api/consensus/settings', { params: { query: { task_id: taskId } }, signal })).results[0] ??
      null,
  });
  return (
    <Loaded query={query}>
      {(settings) =>
        settings === null ? (
          <EmptyState
            icon="settings"
            title="No settings"
            text="They are created with the first merge, or you do not have permission to view them."
          />
        ) : (
          <SettingsForm settings={settings} mayChange={mayChange} />
        )
      }
    </Loaded>
  );
}

interface FormProps {
  readonly settings: ConsensusSettings;
  readonly mayChange: boolean;
}

function SettingsForm({ settings, mayChange }: FormProps): ReactNode {
  const client = useQueryClient();
  const [typed, setTyped] = useDraft(`consensus settings ${settings.id}`, UNTOUCHED);
  const isChanged = FIELDS.some(({ name }) => typed[name] !== undefined && typed[name] !== settings[name]);
  const save = useMutation({
    mutationFn: async () => {
      const empty = FIELDS.filter(({ name }) => typed[name] === null);
      if (empty.length > 0)
        throw new InvalidInput(Object.fromEntries(empty.map(({ name }) => [name, 'Enter a number.'])));
      const params = { path: { id: settings.id } };
      return unwrap(await api.PATCH('/api/consensus/settings/{id}', { params, body: typed as never }));
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['consensus/settings'] });
      setTyped(UNTOUCHED);
      showSuccess('Saved. The next merge uses these settings.');
    },
  });
  const errors = save.error === null ? {} : explain(save.error).fields;
  const form = useFocusOnRefusal(save.error);
  return (
    <form ref={form} onSubmit={submitting(save)} style={{ maxWidth: 640 }} noValidate>
      <Stack>
        <Fieldset legend="Merging" disabled={!mayChange}>
          <Stack gap="sm">
            {FIELDS.map(({ name, label, description }) => (
              <NumberField
                key={name}
                label={label}
                description={description}
                min={0}
                max={1}
                step={0.05}
                styles={NARROW}
                value={typed[name] === undefined ? settings[name] : typed[name]}
                error={errors[name]}
                onChange={(value) => setTyped((before) => ({ ...before, [name]: value }))}
              />
            ))}
          </Stack>
        </Fieldset>
        {save.error !== null && <ErrorPanel error={save.error} />}
        {mayChange && (
          <SaveButtons isChanged={isChanged} isSaving={save.isPending} onDiscard={() => setTyped(UNTOUCHED)} />
        )}
      </Stack>
    </form>
  );
}
