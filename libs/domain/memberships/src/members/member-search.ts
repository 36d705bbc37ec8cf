const separators = /[^\p{L}\p{N}]+/u;
const marks = /\p{M}+/gu;
/** Maximum length of a word. It counts Unicode characters, so that surrogate pairs stay whole. */
const maxWordLength = 64;

/** Returns the distinct words of texts in the form used for searching: in lower case and without accents. */
export function wordsOf(...texts: readonly string[]): string[] {
  const plain = texts.join(' ').normalize('NFKD').replace(marks, '').toLowerCase();
  const words = plain.split(separators).filter((word) => word !== '');
  return [...new Set(words.map((word) => [...word].slice(0, maxWordLength).join('')))];
}

/**
 * Returns the lexemes of a member. Each begins with the account's id, so that one index serves all accounts without
 * mixing them.
 */
export function lexemesOf(accountId: string, { name, email }: { name: string; email: string }): string[] {
  return wordsOf(name, email).map((word) => `${accountId}/${word}`);
}

/** Builds a `tsquery` for members of an account: each of `words` must be the beginning of one of the member's words. */
export function queryFor(accountId: string, words: readonly string[]): string {
  return words.map((word) => `'${escaped(`${accountId}/${word}`)}':*`).join(' & ');
}

/** Returns the prefixes of a member's words for the encrypted search index. A search names one prefix per word. */
export function beginningsOf({ name, email }: { name: string; email: string }): string[] {
  const beginnings = wordsOf(name, email).flatMap((word) => {
    const letters = [...word];
    return letters.map((_, index) => letters.slice(0, index + 1).join(''));
  });
  return [...new Set(beginnings)];
}

/** Builds a `tsquery` for the members whose search index holds all of `tokens`. */
export function queryForTokens(tokens: readonly string[]): string {
  return tokens.map((token) => `'${token}'`).join(' & ');
}

/** Escapes the two characters that have a meaning within quotes. */
function escaped(lexeme: string): string {
  return lexeme.replace(/['\\]/g, '$&$&');
}
