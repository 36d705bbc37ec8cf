/**
 * Matches characters that control a terminal: control characters except line breaks, and changes of the text direction.
 */
const acting = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Replaces characters that control a terminal with escapes such as `\\u202e`, which mean the same in JSON. */
export function terminalText(text: string): string {
  return text.replace(acting, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
