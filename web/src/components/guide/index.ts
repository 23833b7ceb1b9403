export { GuidePanel } from './guide-panel';
export { GuideText } from './guide-text';
export { readGuide } from './read-guide';
