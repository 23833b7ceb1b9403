import { ActionIcon, Button, ColorInput, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { Icon } from '../icons';
import { PageLoader } from '../page-loader';
import { AttributeEditor } from './attribute-editor';
import { type DraftLabel, LABEL_TYPES } from './draft';
import classes from './label-editor.module.css';
import { counted } from '../counted';

const SkeletonEditor = lazy(async () => ({ default: (await import('./skeleton-editor')).SkeletonEditor }));

interface LabelRowProps {
  readonly label: DraftLabel;
  readonly isOpen: boolean;
  /** Whether the label was just added. */
  readonly takesFocus: boolean;
  /** Called for Enter in the name of a label that has one. */
  readonly onEnter: () => void;
  readonly onToggle: () => void;
  readonly onChange: (part: Partial<DraftLabel>) => void;
  readonly onRemove: () => void;
  /** Error message for the name. */
  readonly problem: string | undefined;
}

/** The fields of one label. */
export function LabelRow({
  label,
  isOpen,
  takesFocus,
  onEnter,
  onToggle,
  onChange,
  onRemove,
  problem,
}: LabelRowProps): ReactNode {
  const nameField = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takesFocus) nameField.current?.focus();
  }, [takesFocus]);
  if (label.isRemoved === true)
    return <RemovedLabel name={label.name} onRestore={() => onChange({ isRemoved: undefined })} />;
  const { name, color, type, attributes, sublabels } = label;
  const named = name === '' ? 'the new label' : name;
  const parts = [
    ...(attributes.length > 0 ? [counted(attributes.length, 'attribute')] : []),
    ...(type === 'skeleton' ? [counted(sublabels.length, 'point')] : []),
  ];
  const isSaved = label.id !== undefined;
  const types = LABEL_TYPES.filter((each) => !isSaved || (each === 'skeleton') === (type === 'skeleton'));
  return (
    <div className={classes['row']}>
      <Group align={problem === undefined ? 'flex-end' : 'flex-start'} gap="xs" className={classes['fields']}>
        <TextInput
          size="sm"
          label="Name"
          required
          flex={1}
          miw={160}
          value={name}
          error={problem}
          ref={nameField}
          onKeyDown={({ key }) => (key === 'Enter' && name.trim() !== '' ? onEnter() : undefined)}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <ColorInput
          size="sm"
          label="Colour"
          w={130}
          format="hex"
          withEyeDropper={false}
          value={color}
          onChange={(value) => onChange({ color: value })}
          popoverProps={{ withinPortal: true }}
        />
        <Select
          size="sm"
          label="Shape"
          w={130}
          allowDeselect={false}
          data={[...types]}
          value={type}
          onChange={(value) => {
            onChange({ type: value ?? 'any' });
            if (value === 'skeleton' && !isOpen) onToggle();
          }}
        />
        <Button size="sm" variant={isOpen ? 'light' : 'default'} aria-expanded={isOpen} onClick={onToggle}>
          {parts.length === 0 ? 'Attributes' : parts.join(', ')}
        </Button>
        <ActionIcon size="lg" variant="subtle" color="red" aria-label={`Remove ${named}`} onClick={onRemove}>
          <Icon name="trash" />
        </ActionIcon>
      </Group>
      {isOpen && (
        <Stack mt="sm" gap="md">
          {type === 'skeleton' && (
            <Suspense fallback={<PageLoader />}>
              <SkeletonEditor label={label} onChange={onChange} />
            </Suspense>
          )}
          <AttributeEditor attributes={attributes} onChange={(next) => onChange({ attributes: next })} />
        </Stack>
      )}
    </div>
  );
}

interface RemovedLabelProps {
  readonly name: string;
  readonly onRestore: () => void;
}

const RemovedLabel = ({ name, onRestore }: RemovedLabelProps): ReactNode => (
  <div className={classes['row']}>
    <Group justify="space-between" gap="xs">
      <Text size="sm">
        <s>{name}</s>{' '}
        <Text span inherit c="dimmed">
          will be deleted when you save.
        </Text>
      </Text>
      <Button size="xs" variant="default" aria-label={`Restore ${name}`} onClick={onRestore}>
        Restore
      </Button>
    </Group>
  </div>
);
