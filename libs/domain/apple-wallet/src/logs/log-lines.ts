const mostLines = 100;
const mostCharacters = 1000;
/** Maximum number of serial numbers read per line. A line is about one pass and may mention another. */
const mostSerialNumbers = 3;

/** Matches whole words with the format of a serial number, with or without an account. */
const serialNumberForm = /(?<![\w-])[0-9A-Za-z]{22}(?:[0-9A-Za-z]{16})?(?![\w-])/g;
/**
 * Characters that databases cannot store or that garble a line: lone surrogates, control characters and direction
 * marks.
 */
const unwanted = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** A line of a device's log, with the words that may be serial numbers. */
export interface LogLine {
  readonly line: string;
  readonly candidates: readonly string[];
}

/**
 * Returns the lines that may name a pass, among the first 100 lines of a device's log. Cuts each to 1,000 characters
 * and removes control characters. The text stays untrusted, because anyone can send it.
 */
export function takenLines(logs: readonly string[]): LogLine[] {
  return logs
    .slice(0, mostLines)
    .map((text) => {
      const line = text.slice(0, mostCharacters).replace(unwanted, ' ').trim();
      const candidates = [...new Set(line.match(serialNumberForm))].slice(0, mostSerialNumbers);
      return { line, candidates };
    })
    .filter(({ candidates }) => candidates.length > 0);
}
