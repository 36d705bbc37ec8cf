/** The maximum length of a field's custom change message. */
export const maxChangeMessageLength = 100;

/**
 * Matches the empty text, or a text with exactly one `%@`. Each character matches in only one way, so matching takes
 * linear time.
 */
export const changeMessagePattern = /^(?:(?:[^%]|%(?!@))*%@(?:[^%]|%(?!@))*)?$/u;

/**
 * Returns the `changeMessage` of a front field in `pass.json`: the field's own message, or by default `Label: %@`. It
 * contains exactly one `%@`, which devices replace with the new value. Other percent signs are doubled, because devices
 * show `%%` as `%`.
 * @param own undefined selects the default; null or an empty text makes changes silent, and the result is null
 * @see https://developer.apple.com/documentation/walletpasses/passfieldcontent
 */
export function changeMessageFormat(label: string, own: string | null | undefined): string | null {
  if (own === undefined) return label === '' ? '%@' : `${literal(label)}: %@`;
  if (own === null || own === '') return null;
  const at = own.indexOf('%@');
  return `${literal(own.slice(0, at))}%@${literal(own.slice(at + 2))}`;
}

/** Returns the line that a device shows: the format with the value inserted. */
export function changeLine(format: string, value: string): string {
  return format.replace(/%([@%])/g, (_, code: string) => (code === '@' ? value : '%'));
}

function literal(text: string): string {
  return text.replaceAll('%', '%%');
}
