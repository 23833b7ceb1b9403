import { ActionIcon, Button, Group, Select, Stack, Switch, TagsInput, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon } from '../icons';
import { type DraftAttribute, type InputType, newAttribute } from './draft';
import { tooLong } from '../too-long';

const INPUTS: readonly { value: InputType; label: string }[] = [
  { value: 'select', label: 'List' },
  { value: 'radio', label: 'Radio buttons' },
  { value: 'checkbox', label: 'Checkbox' },
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
];

interface AttributeEditorProps {
  readonly attributes: readonly DraftAttribute[];
  readonly onChange: (attributes: readonly DraftAttribute[]) => void;
}

/** Edits the attributes of a label. Saved attributes cannot be removed. */
export function AttributeEditor({ attributes, onChange }: AttributeEditorProps): ReactNode {
  /** Position of the attribute that was added last. */
  const [added, setAdded] = useState<number>();
  const set = (index: number, part: Partial<DraftAttribute>): void =>
    onChange(attributes.map((attribute, at) => (at === index ? { ...attribute, ...part } : attribute)));
  return (
    <Stack gap="xs">
      {attributes.map((attribute, index) => (
        <Row
          key={attribute.id ?? `new-${index}`}
          attribute={attribute}
          takesFocus={index === added}
          onChange={(part) => set(index, part)}
          onRemove={() => onChange(attributes.filter((_, at) => at !== index))}
        />
      ))}
      <Button
        size="xs"
        variant="default"
        w="fit-content"
        leftSection={<Icon name="plus" size={14} />}
        onClick={() => {
          onChange([...attributes, newAttribute()]);
          setAdded(attributes.length);
        }}
      >
        Add attribute
      </Button>
    </Stack>
  );
}

interface RowProps {
  readonly attribute: DraftAttribute;
  /** Whether it was just added. */
  readonly takesFocus: boolean;
  readonly onChange: (part: Partial<DraftAttribute>) => void;
  readonly onRemove: () => void;
}

function Row({ attribute, takesFocus, onChange, onRemove }: RowProps): ReactNode {
  const { name, input_type: input, values, default_value: defaultValue, mutable } = attribute;
  const nameField = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takesFocus) nameField.current?.focus();
  }, [takesFocus]);
  const changeInput = (value: InputType): void =>
    onChange({
      input_type: value,
      values: value === 'number' ? ['0', '100', '1'] : value === 'checkbox' ? ['false'] : [],
      default_value: value === 'number' ? '0' : value === 'checkbox' ? 'false' : '',
    });
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        ref={nameField}
        size="xs"
        label="Attribute"
        w={150}
        required
        value={name}
        error={tooLong(name, 64)}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <Select
        size="xs"
        label="Input type"
        w={130}
        allowDeselect={false}
        data={[...INPUTS]}
        value={input}
        onChange={(value) => changeInput(value ?? 'select')}
      />
      {(input === 'select' || input === 'radio') && (
        <TagsInput
          size="xs"
          label="Values"
          miw={200}
          flex={1}
          placeholder="Type and press Enter"
          value={[...values]}
          onChange={(next) =>
            onChange({ values: next, default_value: next.includes(defaultValue) ? defaultValue : (next[0] ?? '') })
          }
        />
      )}
      {input === 'number' &&
        ['Min', 'Max', 'Step'].map((title, at) => (
          <TextInput
            key={title}
            size="xs"
            w={64}
            inputMode="decimal"
            label={title}
            value={values[at] ?? ''}
            onChange={(event) =>
              onChange({ values: [0, 1, 2].map((i) => (i === at ? event.currentTarget.value : (values[i] ?? ''))) })
            }
          />
        ))}
      <DefaultValue attribute={attribute} onChange={(value) => onChange({ default_value: value })} />
      <Switch
        size="sm"
        mb={6}
        label="Mutable"
        description="Can differ between frames."
        checked={mutable}
        onChange={(event) => onChange({ mutable: event.currentTarget.checked })}
      />
      {attribute.id === undefined && (
        <ActionIcon variant="subtle" color="red" mb={2} aria-label={`Remove attribute ${name}`} onClick={onRemove}>
          <Icon name="trash" size={16} />
        </ActionIcon>
      )}
    </Group>
  );
}

function DefaultValue({
  attribute,
  onChange,
}: {
  readonly attribute: DraftAttribute;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const { input_type: input, values, default_value: defaultValue } = attribute;
  if (input === 'text' || input === 'number') {
    return (
      <TextInput
        size="xs"
        w={110}
        label="Default value"
        value={defaultValue}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  const options = input === 'checkbox' ? ['false', 'true'] : [...new Set(values)];
  return (
    <Select
      size="xs"
      w={110}
      label="Default value"
      data={options}
      value={options.includes(defaultValue) ? defaultValue : null}
      onChange={(value) => onChange(value ?? '')}
    />
  );
}
