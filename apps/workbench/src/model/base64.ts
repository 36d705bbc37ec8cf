const CHUNK = 0x8000;

/** Encodes bytes in base64. */
export function base64Of(bytes: Uint8Array): string {
  let text = '';
  // Encode in parts, because a function call accepts only a limited number of arguments.
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}
