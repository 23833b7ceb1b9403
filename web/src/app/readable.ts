/** @returns the message of a failed background request without a leading exception name, and with a full stop */
export function readable(message: string): string {
  const said = message.trim().replace(/^(?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*Error|(?:[A-Z]\w*)?Exception|BadZipFile): +/, '');
  return said === '' || /[.!?…]$/.test(said) ? said : `${said}.`;
}
