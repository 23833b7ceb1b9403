import { Anchor, Fieldset, Select, Stack, Switch, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { api, type QualitySettings as Settings } from '../../app/api';
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
import classes from './quality.module.css';
import { useSettings } from './settings-data';
import { SETTINGS_FIELDS, SETTINGS_GROUPS, type SettingsField } from './settings-fields';
import type { QualityTarget } from './target';

type Value = string | number | boolean | null;
type Values = Readonly<Record<string, Value>>;

/** How reports of a task or project are computed. */
export function QualitySettings({ target }: { readonly target: QualityTarget }): ReactNode {
  const query = useSettings(target);
  return (
    <Loaded query={query}>
      {(settings) =>
        settings === null ? (
          <EmptyState icon="settings" title="No settings" text="You do not have permission to view these settings." />
        ) : (
          <SettingsForm target={target} settings={settings} />
        )
      }
    </Loaded>
  );
}

const UNTOUCHED: Values = {};

interface SettingsFormProps {
  readonly target: QualityTarget;
  readonly settings: Settings;
}

function SettingsForm({ target, settings }: SettingsFormProps): ReactNode {
  const client = useQueryClient();
  const [typed, setTyped] = useDraft(`quality settings ${settings.id}`, UNTOUCHED);
  const present = settings as unknown as Values;
  const shown = { ...present, ...typed };
  const changes = Object.fromEntries(Object.entries(typed).filter(([name, value]) => present[name] !== value));
  const set = (name: string, value: Value): void => setTyped((before) => ({ ...before, [name]: value }));
  const save = useMutation({
    mutationFn: async () => {
      refuseEmpty(changes);
      const params = { path: { id: settings.id } };
      return unwrap(await api.PATCH('/api/quality/settings/{id}', { params, body: changes as never }));
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['quality/settings'] });
      setTyped(UNTOUCHED);
      showSuccess('Saved. The next report uses these settings.');
    },
  });
  const errors = save.error === null ? {} : explain(save.error).fields;
  const form = useFocusOnRefusal(save.error);
  const isChanged = Object.keys(changes).length > 0;
  const isInherited = target.projectId !== null && shown['inherit'] === true;
  return (
    <form ref={form} onSubmit={submitting(save)} className={classes['settings'] ?? ''} noValidate>
      <Stack>
        {target.kind === 'project' && (
          <Text size="sm">Tasks of this project use these settings unless they have their own.</Text>
        )}
        {target.projectId !== null && (
          <Inheritance
            projectId={target.projectId}
            isInherited={isInherited}
            disabled={!target.mayChange}
            onChange={(value) => set('inherit', value)}
          />
        )}
        {!isInherited &&
          SETTINGS_GROUPS.map(({ title, fields }) => (
            <Fieldset key={title} legend={title} disabled={!target.mayChange}>
              <Stack gap="sm">
                {fields.map((field) => (
                  <Field
                    key={field.name}
                    field={field}
                    value={shown[field.name] ?? null}
                    error={errors[field.name]}
                    onChange={(value) => set(field.name, value)}
                  />
                ))}
              </Stack>
            </Fieldset>
          ))}
        {save.error !== null && <ErrorPanel error={save.error} />}
        {target.mayChange && (
          <SaveButtons isChanged={isChanged} isSaving={save.isPending} onDiscard={() => setTyped(UNTOUCHED)} />
        )}
      </Stack>
    </form>
  );
}

interface InheritanceProps {
  readonly projectId: number;
  readonly isInherited: boolean;
  readonly disabled: boolean;
  readonly onChange: (isInherited: boolean) => void;
}

const Inheritance = ({ projectId, isInherited, disabled, onChange }: InheritanceProps): ReactNode => (
  <>
    <Switch
      label="Use the settings of the project"
      description="Tasks with their own settings do not count in the report of the project."
      checked={isInherited}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    {isInherited && (
      <Text size="sm">
        <Anchor component={Link} to={`/projects/${projectId}/quality?show=settings`}>
          View settings of the project
        </Anchor>
      </Text>
    )}
  </>
);

/** @throws InvalidInput for numbers that were removed: every setting has a value */
function refuseEmpty(changes: Values): void {
  const empty = SETTINGS_FIELDS.filter(({ name }) => changes[name] === null);
  if (empty.length === 0) return;
  throw new InvalidInput(Object.fromEntries(empty.map(({ name, title }) => [name, `${title}: enter a number.`])));
}

interface FieldProps {
  readonly field: SettingsField;
  readonly value: Value;
  readonly error: string | undefined;
  readonly onChange: (value: Value) => void;
}

/** The field is narrow, but not its description. */
const NARROW = { wrapper: { width: 180 } };

function Field({ field, value, error, onChange }: FieldProps): ReactNode {
  const { title: label, text: description } = field;
  const common = { label, description, error };
  switch (field.kind) {
    case 'switch':
      return (
        <Switch {...common} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
      );
    case 'choice':
      return (
        <Select
          {...common}
          allowDeselect={false}
          data={[...field.options]}
          value={String(value)}
          onChange={(next) => onChange(next)}
        />
      );
    case 'text':
      return (
        <Textarea
          {...common}
          autosize
          minRows={1}
          spellCheck={false}
          value={String(value ?? '')}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'count':
      return (
        <NumberField {...common} min={0} step={1} styles={NARROW} value={value as number | null} onChange={onChange} />
      );
    default:
      return (
        <NumberField
          {...common}
          min={0}
          max={1}
          step={0.01}
          styles={NARROW}
          value={value as number | null}
          onChange={onChange}
        />
      );
  }
}
