/** Explanations of log lines from iOS. A line matches if its lower-case text contains all words. */
const meanings: readonly { readonly words: readonly string[]; readonly meaning: string }[] = [
  {
    words: ['pass was unchanged'],
    meaning:
      'The device was notified of a change, fetched the pass, and already had it. This is harmless: usually it had ' +
      'fetched the change a moment before.',
  },
  {
    words: ['unmodified', 'if-modified-since'],
    meaning:
      'The device got the whole pass although it already had it. This is harmless: a proxy may have dropped a header.',
  },
  {
    words: ['ignored', 'if-modified-since'],
    meaning:
      'The device got the whole pass although it already had it. This is harmless: a proxy may have dropped a header.',
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
      'The list of changed passes arrived without a new tag: look for a proxy or cache that responds in our place.',
  },
  {
    words: ['spurious push'],
    meaning:
      'The device got a push, but found nothing new. This is harmless now and then: it had fetched the change before ' +
      'the push arrived.',
  },
  {
    words: ['unregistered serial number'],
    meaning:
      'The device was notified of a pass that it no longer has, because its removal request never arrived here. The ' +
      'device repeats that request by itself.',
  },
  {
    words: ['invalid pass data'],
    meaning:
      'The device rejected the new version and shows the previous one. Either the package is invalid, or a proxy sent a ' +
      'page of its own: download the pass and check it.',
  },
  {
    words: ['authentication failure'],
    meaning:
      'The pass on the device has another authentication token, because the secret behind the tokens was changed. The ' +
      'holder must add the pass again.',
  },
  {
    words: ['unexpected response code'],
    meaning: 'The device got a response that it cannot use, often from a proxy or firewall; it tries again.',
  },
  {
    words: ['encountered error'],
    meaning: 'The device could not reach this service, or stopped waiting; it tries again.',
  },
];

/** Returns an explanation of a log line; null for an unknown line. The line is untrusted text. */
export function meaningOf(line: string): string | null {
  const text = line.toLowerCase();
  return meanings.find(({ words }) => words.every((word) => text.includes(word)))?.meaning ?? null;
}
