/** Removes the focus after a selection, so that keys are shortcuts again. */
export function releaseFocus(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}
