import type { QualityConflict } from '../app/api';

/** The types of conflicts between annotations and the ground truth, in words. */
export const CONFLICTS: Readonly<Record<QualityConflict['type'], { readonly title: string; readonly text: string }>> = {
  missing_annotation: { title: 'Missing annotation', text: 'The ground truth has an object here.' },
  extra_annotation: { title: 'Extra annotation', text: 'The ground truth has no object here.' },
  mismatching_label: { title: 'Wrong label', text: 'The ground truth has another label.' },
  low_overlap: { title: 'Low overlap', text: 'The shape differs from the ground truth.' },
  mismatching_direction: { title: 'Wrong direction', text: 'The line runs the other way in the ground truth.' },
  mismatching_attributes: { title: 'Wrong attributes', text: 'The ground truth has other values.' },
  mismatching_groups: { title: 'Wrong group', text: 'The ground truth groups the object differently.' },
  covered_annotation: { title: 'Covered annotation', text: 'Other objects cover it.' },
};
