export { type DraftLabel, labelsProblem, toChanges, toDrafts, toInputs } from './draft';
export { LabelEditor } from './label-editor';
