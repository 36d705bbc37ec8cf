import type { WorkCase } from './growth-of-work.js';

/** Finds a character with a loop. */
function indexOf(text: string, wanted: string): number {
  for (let at = 0; at < text.length; at++) if (text[at] === wanted) return at;
  return -1;
}

/** Compares each character with all later ones. */
function hasRepetition(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (indexOf(text.slice(at + 1), '=') >= 0) return true;
  return false;
}

/** Copies the rest of the text for each line. */
function lastOfLines(text: string): string {
  let rest = text.split('\n');
  while (rest.length > 1) rest = rest.slice(1);
  return rest.join();
}

const letters = (size: number) => 'a'.repeat(size);
const lines = (size: number) => '\n'.repeat(size);

/** Functions whose work is constant, linear or quadratic in the size of their input. */
export const cases: readonly WorkCase[] = [
  ['nothing', letters, () => undefined],
  ['a loop', letters, (text: string) => indexOf(text, '!')],
  ['a loop in a loop', letters, hasRepetition],
  ['native copies in a loop', lines, lastOfLines],
  [
    'a loop in a loop that is rejected later',
    letters,
    async (text: string) => {
      hasRepetition(text);
      await Promise.reject(new Error('no'));
    },
  ],
];
