/** A field's own change message takes at most this many characters. */
export const maxChangeMessageLength = 100;

/** Empty, or a text with `%@` exactly once. Every character is matched in one way only, so it takes linear time. */
export const changeMessagePattern = /^(?:(?:[^%]|%(?!@))*%@(?:[^%]|%(?!@))*)?$/u;

/**
 * The `changeMessage` of a front field in `pass.json`: the field's own, or by default `Label: %@`. Exactly one `%@`,
 * which devices replace by the new value; any other `%` is doubled, which devices read as one.
 * @param own undefined takes the default; null or empty text makes changes silent: then the answer is null
 * @see https://developer.apple.com/documentation/walletpasses/passfieldcontent
 */
export function changeMessageFormat(label: string, own: string | null | undefined): string | null {
  if (own === undefined) return label === '' ? '%@' : `${literal(label)}: %@`;
  if (own === null || own === '') return null;
  const at = own.indexOf('%@');
  return `${literal(own.slice(0, at))}%@${literal(own.slice(at + 2))}`;
}

/** The line a device shows: the format with its value in place. */
export function changeLine(format: string, value: string): string {
  return format.replace(/%([@%])/g, (_, code: string) => (code === '@' ? value : '%'));
}

function literal(text: string): string {
  return text.replaceAll('%', '%%');
}
