import { Checkbox, Fieldset, NativeSelect, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { NumberField } from '../number-field';
import { isCompatible } from './label-mapping';
import classes from './models.module.css';
import type { Detector } from './use-detector';

const UNUSED = '';

/** The function, the mapping of its labels, and its options. */
export function DetectorFields({ detector }: { readonly detector: Detector }): ReactNode {
  const { models, model, threshold, convertsMasks, maxDistance } = detector;
  const isReid = model?.kind === 'reid';
  const isConvertible = model?.labels_v2.some(({ type }) => ['mask', 'any', 'unknown'].includes(type)) === true;
  return (
    <Stack>
      <NativeSelect
        label="Function"
        data={models.map(({ id, name }) => ({ value: id, label: name }))}
        value={model?.id ?? ''}
        {...(model === undefined || model.description === '' ? {} : { description: model.description })}
        onChange={({ currentTarget }) => detector.choose(currentTarget.value)}
      />
      {isReid ? (
        <NumberField
          label="Maximum distance"
          description="Between rectangles of the same track on successive frames, in pixels. Empty: the default of the function."
          min={1}
          value={maxDistance}
          onChange={detector.setMaxDistance}
        />
      ) : (
        <Mapping detector={detector} />
      )}
      <NumberField
        label="Threshold"
        description="Minimum confidence from 0 to 1. Empty: the default of the function."
        min={0}
        max={1}
        step="any"
        value={threshold}
        onChange={detector.setThreshold}
      />
      {isConvertible && (
        <Checkbox
          label="Convert masks to polygons"
          checked={convertsMasks}
          onChange={({ currentTarget }) => detector.setConvertsMasks(currentTarget.checked)}
        />
      )}
    </Stack>
  );
}

/** One field for each label of the function. */
function Mapping({ detector }: { readonly detector: Detector }): ReactNode {
  const { model, mapping, labels } = detector;
  const found = model?.labels_v2 ?? [];
  return (
    <Fieldset legend="Labels of the function and of the task">
      <div className={classes['mapping']}>
        {found.map((label) => (
          <NativeSelect
            key={label.name}
            size="xs"
            className={classes['pair'] ?? ''}
            label={label.name}
            data={[
              { value: UNUSED, label: 'Not used' },
              ...labels
                .filter((other) => isCompatible(label, other))
                .map(({ id, name }) => ({ value: String(id), label: name ?? '' })),
            ]}
            value={String(mapping.get(label.name) ?? UNUSED)}
            onChange={({ currentTarget: { value } }) =>
              detector.map(label.name, value === UNUSED ? undefined : Number(value))
            }
          />
        ))}
      </div>
      <Text size="xs" c="dimmed" mt={6} role="status">
        {mapping.size === 0
          ? 'Select a label of the task for at least one label of the function.'
          : `${mapping.size} of ${found.length} labels used.`}
      </Text>
    </Fieldset>
  );
}
