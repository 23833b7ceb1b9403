import { Invalid, InvalidList } from '../../core/http/errors.js';

interface AttributeForMapping {
  readonly id: number;
  readonly name: string;
  readonly input_type: string;
  readonly values: readonly string[];
}

interface JointForMapping {
  readonly id: number;
  readonly name: string;
  readonly attributes: readonly AttributeForMapping[];
}

export interface LabelForMapping extends JointForMapping {
  readonly sublabels: readonly JointForMapping[];
}

/** Old id to new id. */
export interface LabelMapping {
  readonly labels: ReadonlyMap<number, number>;
  readonly attributes: ReadonlyMap<number, number>;
}

/**
 * Finds for each label, joint and attribute its counterpart by name.
 * @throws Invalid, InvalidList when one has none
 */
export function mapLabels(from: readonly LabelForMapping[], to: readonly LabelForMapping[]): LabelMapping {
  const labels = new Map<number, number>();
  const attributes = new Map<number, number>();
  for (const label of from) {
    const target = to.find((candidate) => candidate.name === label.name);
    if (target === undefined) {
      throw new Invalid({ non_field_errors: ['All task or project label names must be mapped to the target project'] });
    }
    mapPair(label, target, labels, attributes);
    if (label.sublabels.length !== target.sublabels.length) throw unmatchedJoints(label);
    for (const joint of label.sublabels) {
      const counterpart = target.sublabels.find((candidate) => candidate.name === joint.name);
      if (counterpart === undefined) throw unmatchedJoints(label);
      mapPair(joint, counterpart, labels, attributes);
    }
  }
  return { labels, attributes };
}

const unmatchedJoints = (label: LabelForMapping): InvalidList =>
  new InvalidList(`Sublabels of "${label.name}" label must match those of the target project`);

function mapPair(
  from: JointForMapping,
  to: JointForMapping,
  labels: Map<number, number>,
  attributes: Map<number, number>,
): void {
  labels.set(from.id, to.id);
  for (const attribute of from.attributes) {
    const target = to.attributes.find(
      (candidate) =>
        candidate.name === attribute.name &&
        candidate.input_type === attribute.input_type &&
        candidate.values.join('\n') === attribute.values.join('\n'),
    );
    if (target === undefined) {
      throw new InvalidList(`Target project does not have "${from.name}" label with "${attribute.name}" attribute`);
    }
    attributes.set(attribute.id, target.id);
  }
}
