/** The sentences of a `ValidationFailed` message, grouped by their property. */
export interface Problems {
  /** Sentences by path: `title`, `fields[0].key`. */
  readonly at: ReadonlyMap<string, string>;
  /** The sentences that name no property of the form. */
  readonly other: readonly string[];
}

const opening = /^(?:each value in )?([A-Za-z]\w{0,60}(?:\[\d{1,3}\])?(?:\.\w{1,60})?)[:\s]/;

/**
 * Assigns the sentences of a message to the properties of a form: `problemsOf(error.message, ['title', 'fields'])`. A
 * new sentence begins after `; ` and with the name of a property.
 * @param names the properties of the form
 */
export function problemsOf(message: string, names: readonly string[]): Problems {
  const sentences: { path: string | null; text: string }[] = [];
  for (const part of message.split('; ')) {
    const path = opening.exec(part)?.[1] ?? '';
    const isKnown = names.includes(path.replace(/[[.].*/, ''));
    const last = sentences.at(-1);
    if (isKnown) sentences.push({ path, text: part });
    else if (last) last.text += `; ${part}`;
    else sentences.push({ path: null, text: part });
  }
  const at = new Map<string, string>();
  for (const { path, text } of sentences)
    if (path !== null) at.set(path, at.has(path) ? `${at.get(path)}; ${text}` : text);
  return { at, other: sentences.filter(({ path }) => path === null).map(({ text }) => text) };
}
