import { Button, Fieldset, FileInput, Group, PasswordInput, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useDraft } from '../../app/drafts';
import { explain } from '../../app/problems';
import { ErrorPanel } from '../../components/error-panel';
import { submitting, useFocusOnRefusal } from '../../components/submitting';
import { tooLong } from '../../components/too-long';
import {
  attributeWithError,
  credentialsOf,
  NO_SECRETS,
  type Provider,
  PROVIDERS,
  type Secrets,
  type StorageValues,
  toBody,
} from './storage-values';

interface StorageFormProps {
  /** Name of the draft. Secrets are not part of it. */
  readonly of: string;
  readonly present: StorageValues;
  readonly isNew: boolean;
  readonly action: string;
  readonly onSave: (body: Record<string, unknown>, keyFile: File | null) => Promise<unknown>;
}

const SECRETS: Readonly<Record<keyof Secrets, { readonly label: string; readonly limit: number }>> = {
  key: { label: 'Access key ID', limit: 40 },
  secret_key: { label: 'Secret access key', limit: 64 },
  session_token: { label: 'Session token', limit: 440 },
  account_name: { label: 'Account name', limit: 24 },
  connection_string: { label: 'Connection string', limit: 1024 },
};
const NOT_SECRET: ReadonlySet<keyof Secrets> = new Set(['key', 'account_name']);
const CHOICES = Object.entries(PROVIDERS).map(([value, { label }]) => ({ value, label }));
const UNTOUCHED: Partial<StorageValues> = {};

/** Settings of a cloud storage. */
export function StorageForm({ of, present, isNew, action, onSave }: StorageFormProps): ReactNode {
  const [typed, setTyped, forgetTyped] = useDraft(of, UNTOUCHED);
  const [secrets, setSecrets] = useState(NO_SECRETS);
  const [keyFile, setKeyFile] = useState<File | null>(null);
  const values = { ...present, ...typed };
  const set = (part: Partial<StorageValues>): void => setTyped((before) => ({ ...before, ...part }));
  const save = useMutation({
    mutationFn: () => onSave(toBody(values, secrets), keyFile),
    onSuccess: () => {
      setSecrets(NO_SECRETS);
      if (isNew) forgetTyped();
      else setTyped(UNTOUCHED);
    },
  });
  const form = useFocusOnRefusal(save.error);
  const fields = save.error === null ? {} : explain(save.error).fields;
  const provider = PROVIDERS[values.provider_type];
  const wrongAttribute = attributeWithError(values, fields['specific_attributes']);
  return (
    <form onSubmit={submitting(save)} ref={form}>
      <Stack gap="lg">
        <div className="panel panel--padded">
          <Stack>
            <TextInput
              label="Name"
              required
              value={values.display_name}
              error={fields['display_name'] ?? tooLong(values.display_name, 63)}
              onChange={(event) => set({ display_name: event.currentTarget.value })}
            />
            <Textarea
              label="Description"
              autosize
              minRows={2}
              maxRows={8}
              value={values.description}
              error={fields['description']}
              onChange={(event) => set({ description: event.currentTarget.value })}
            />
            <Select
              label="Provider"
              data={CHOICES}
              allowDeselect={false}
              value={values.provider_type}
              error={fields['provider_type']}
              onChange={(value) => set(ofProvider(value as Provider))}
            />
            <TextInput
              label={provider?.resource ?? 'Bucket'}
              required
              value={values.resource}
              error={fields['resource'] ?? tooLong(values.resource, 222)}
              onChange={(event) => set({ resource: event.currentTarget.value })}
            />
          </Stack>
        </div>
        <Fieldset legend="Credentials" className="panel">
          <CredentialFields
            values={values}
            set={set}
            secrets={secrets}
            onSecrets={setSecrets}
            keyFile={keyFile}
            onKeyFile={setKeyFile}
            isNew={isNew}
            fields={fields}
          />
        </Fieldset>
        <Fieldset legend="Options" className="panel">
          <Stack>
            {provider?.attributes.map(({ name, label, description }) => (
              <TextInput
                key={name}
                label={label}
                description={description}
                value={values.attributes[name] ?? ''}
                error={name === wrongAttribute ? fields['specific_attributes'] : undefined}
                onChange={(event) => set({ attributes: { ...values.attributes, [name]: event.currentTarget.value } })}
              />
            ))}
            <Textarea
              label="Manifests"
              description="Names of .jsonl files in the bucket, one per line."
              autosize
              minRows={2}
              maxRows={8}
              spellCheck={false}
              value={values.manifests}
              error={fields['manifests']}
              onChange={(event) => set({ manifests: event.currentTarget.value })}
            />
          </Stack>
        </Fieldset>
        {save.error !== null && <ErrorPanel error={save.error} />}
        <Group>
          <Button type="submit" loading={save.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Resets credentials and options, which depend on the provider. */
function ofProvider(provider: Provider): Partial<StorageValues> {
  const [first] = PROVIDERS[provider]?.credentials ?? [];
  return { provider_type: provider, attributes: {}, ...(first === undefined ? {} : { credentials_type: first.type }) };
}

interface CredentialFieldsProps {
  readonly values: StorageValues;
  readonly set: (part: Partial<StorageValues>) => void;
  readonly secrets: Secrets;
  readonly onSecrets: (secrets: Secrets) => void;
  readonly keyFile: File | null;
  readonly onKeyFile: (file: File | null) => void;
  readonly isNew: boolean;
  readonly fields: Readonly<Record<string, string>>;
}

function CredentialFields(props: CredentialFieldsProps): ReactNode {
  const { values, set, secrets, onSecrets, keyFile, onKeyFile, isNew, fields } = props;
  const selected = credentialsOf(values);
  const keep = isNew ? undefined : 'Leave empty to keep the current value.';
  return (
    <Stack>
      <Select
        label="Credentials type"
        data={(PROVIDERS[values.provider_type]?.credentials ?? []).map(({ type, label }) => ({ value: type, label }))}
        allowDeselect={false}
        value={values.credentials_type}
        error={fields['credentials_type']}
        onChange={(value) => set({ credentials_type: value ?? values.credentials_type })}
      />
      {selected?.secrets.map((name) => {
        const { label, limit } = SECRETS[name];
        const Field = NOT_SECRET.has(name) ? TextInput : PasswordInput;
        const isOptional = name === 'session_token' && values.provider_type === 'AWS_S3_BUCKET';
        return (
          <Field
            key={name}
            label={values.provider_type === 'AZURE_CONTAINER' && name === 'session_token' ? 'SAS token' : label}
            description={isNew && isOptional ? 'Required only for temporary credentials.' : keep}
            required={isNew && !isOptional}
            autoComplete="off"
            value={secrets[name]}
            error={fields[name] ?? tooLong(secrets[name], limit)}
            onChange={(event) => onSecrets({ ...secrets, [name]: event.currentTarget.value })}
          />
        );
      })}
      {selected?.needsKeyFile === true && (
        <FileInput
          label="Key file"
          description={keep ?? 'The JSON file of a service account.'}
          required={isNew}
          placeholder="Select a file"
          accept=".json"
          value={keyFile}
          error={fields['key_file']}
          onChange={onKeyFile}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear key file' }}
        />
      )}
    </Stack>
  );
}
