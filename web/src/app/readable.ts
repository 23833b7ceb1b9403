/** @returns the reason of failed work without the name of the exception that it begins with, and with its full stop */
export function readable(message: string): string {
  const said = message.trim().replace(/^(?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*(?:Error|Exception)|BadZipFile): +/, '');
  return said === '' || /[.!?…]$/.test(said) ? said : `${said}.`;
}
