import { ActionIcon, Button, ColorInput, Group, Select, Stack, TextInput } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { Icon } from '../icons';
import { PageLoader } from '../page-loader';
import { AttributeEditor } from './attribute-editor';
import { type DraftLabel, LABEL_TYPES } from './draft';
import classes from './label-editor.module.css';

const SkeletonEditor = lazy(async () => ({ default: (await import('./skeleton-editor')).SkeletonEditor }));

interface LabelRowProps {
  readonly label: DraftLabel;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onChange: (part: Partial<DraftLabel>) => void;
  readonly onRemove: () => void;
}

/** The fields of one label. */
export function LabelRow({ label, isOpen, onToggle, onChange, onRemove }: LabelRowProps): ReactNode {
  const { name, color, type, attributes, sublabels } = label;
  const named = name === '' ? 'the new label' : name;
  const parts = [
    ...(attributes.length > 0 ? [`${attributes.length} ${attributes.length === 1 ? 'attribute' : 'attributes'}`] : []),
    ...(type === 'skeleton' ? [`${sublabels.length} points`] : []),
  ];
  const hasKnownKind = label.id !== undefined;
  const types = LABEL_TYPES.filter((each) => !hasKnownKind || (each === 'skeleton') === (type === 'skeleton'));
  return (
    <div className={classes['row']}>
      <Group align="flex-end" gap="xs">
        <TextInput
          size="sm"
          label="Name"
          required
          maxLength={64}
          flex={1}
          miw={160}
          value={name}
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
