const separators = /[^\p{L}\p{N}]+/u;
const marks = /\p{M}+/gu;
/** In characters, none of which is cut in half; beyond that nobody types. */
const maxWordLength = 64;

/** The words of texts as they are looked for: in lower case, without accents, each once. */
export function wordsOf(...texts: readonly string[]): string[] {
  const plain = texts.join(' ').normalize('NFKD').replace(marks, '').toLowerCase();
  const words = plain.split(separators).filter((word) => word !== '');
  return [...new Set(words.map((word) => [...word].slice(0, maxWordLength).join('')))];
}

/** The lexemes of a member: with the account in front, so that one index serves all accounts and they do not mix. */
export function lexemesOf(accountId: string, { name, email }: { name: string; email: string }): string[] {
  return wordsOf(name, email).map((word) => `${accountId}/${word}`);
}

/** A `tsquery` for the members of an account in which a word begins with each of `words`. */
export function queryFor(accountId: string, words: readonly string[]): string {
  return words.map((word) => `'${escaped(`${accountId}/${word}`)}':*`).join(' & ');
}

/** The beginnings of the words of a member, which an encrypted search index holds: a search names one of them each. */
export function beginningsOf({ name, email }: { name: string; email: string }): string[] {
  const beginnings = wordsOf(name, email).flatMap((word) => {
    const letters = [...word];
    return letters.map((_, index) => letters.slice(0, index + 1).join(''));
  });
  return [...new Set(beginnings)];
}

/** A `tsquery` for the members whose search index holds all of `tokens`. */
export function queryForTokens(tokens: readonly string[]): string {
  return tokens.map((token) => `'${token}'`).join(' & ');
}

/** Within quotes only these two have a meaning of their own. */
function escaped(lexeme: string): string {
  return lexeme.replace(/['\\]/g, '$&$&');
}
