// The code that draws masks. It is loaded when it is first needed.
export { MaskView } from '../canvas/mask-view';
export { MaskSession } from './mask-session';
export { storeMask } from './store-mask';
