export { GuidePanel } from './guide-panel';
export { GuideText } from './guide-text';
export { guideKey, readGuide } from './read-guide';
