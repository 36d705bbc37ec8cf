/** Maps log lines of iOS to explanations. A line matches if it contains all words, in lower case. */
const meanings: readonly { readonly words: readonly string[]; readonly meaning: string }[] = [
  {
    words: ['pass was unchanged'],
    meaning:
      'The device was told of a change, fetched the pass, and found what it had already. Harmless; often it had fetched ' +
      'the change a moment before.',
  },
  {
    words: ['unmodified', 'if-modified-since'],
    meaning: 'The device got the whole pass though it had it already. Harmless; a proxy may have dropped a header.',
  },
  {
    words: ['ignored', 'if-modified-since'],
    meaning: 'The device got the whole pass though it had it already. Harmless; a proxy may have dropped a header.',
  },
  {
    words: ['last-modified'],
    meaning:
      'The pass arrived without a Last-Modified header, which this service always sends: look for a proxy in between that ' +
      'removes it.',
  },
  {
    words: ['lastupdated'],
    meaning:
      'The list of changed passes arrived without a new tag: look for a proxy or cache in between that answers instead.',
  },
  {
    words: ['spurious push'],
    meaning:
      'The device was pushed, and found nothing new when it asked. Harmless now and then: it had fetched the change before ' +
      'the push arrived.',
  },
  {
    words: ['unregistered serial number'],
    meaning:
      'The device was told of a pass that it no longer has, as its word that it was removed never arrived here. It says so ' +
      'again by itself.',
  },
  {
    words: ['invalid pass data'],
    meaning:
      'The device refused the new version and keeps the one before. The package is at fault, or something in between ' +
      'answered with a page of its own: download the pass and check it.',
  },
  {
    words: ['authentication failure'],
    meaning:
      'The pass on the device holds another authentication token: the secret that tokens are made with was changed. Such a ' +
      'pass can only be added again.',
  },
  {
    words: ['unexpected response code'],
    meaning: 'The device got an answer that it cannot use, often of a proxy or firewall in between; it tries again.',
  },
  {
    words: ['encountered error'],
    meaning: 'The device could not reach this service, or gave up on the way; it tries again.',
  },
];

/** Explains a log line; null if it is unknown. Never trust the line itself. */
export function meaningOf(line: string): string | null {
  const text = line.toLowerCase();
  return meanings.find(({ words }) => words.every((word) => text.includes(word)))?.meaning ?? null;
}
