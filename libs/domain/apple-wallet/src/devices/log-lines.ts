const mostLines = 100;
const mostCharacters = 1000;
/** Of one line: a device complains of one pass at a time, perhaps in passing of another. */
const mostSerialNumbers = 3;

/** Whole words of the form of our serial numbers. */
const serialNumberForm = /(?<![\w-])[0-9A-Za-z]{22}(?![\w-])/g;
/** What no database holds, or what garbles what a reader sees: half surrogate pairs, control characters, also of direction. */
const unwanted = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** A line of a device's log, and what in it may be serial numbers of ours. */
export interface LogLine {
  readonly line: string;
  readonly candidates: readonly string[];
}

/**
 * What is taken of a device's log: its first 100 lines, at most 1,000 characters of each, without control characters, as
 * far as they may name a pass. The text stays untrusted: it says whatever its sender likes.
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
