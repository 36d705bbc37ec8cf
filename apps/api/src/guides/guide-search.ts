import { setImmediate as nextTurn } from 'node:timers/promises';
import MiniSearch from 'minisearch';
import type { Guide } from './guide-markdown.js';

/** A section that a search has found. */
export interface FoundSection {
  /** The path below /guides, with the id of the heading. */
  readonly path: string;
  readonly guide: string;
  readonly heading: string;
  /** Words around the first match. */
  readonly excerpt: string;
}

const RESULTS = 20;
const MOST_WORDS = 8;
const EXCERPT_BEFORE = 60;
const EXCERPT = 220;

/**
 * Searches the sections of all guides. Also finds words that begin with a search word, or differ from it by a typing
 * mistake.
 */
export class GuideSearch {
  private readonly index = new MiniSearch<FoundSection & { id: string; text: string }>({
    fields: ['heading', 'guide', 'text'],
    storeFields: ['path', 'guide', 'heading', 'text'],
    searchOptions: {
      boost: { heading: 4, guide: 2 },
      // Do not search by a prefix of one or two letters, because too many words begin with it.
      prefix: (term) => term.length >= 3,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
    },
  });

  private constructor() {}

  /** Builds the index, one guide per turn of the event loop: all guides together would block other requests. */
  static async of(guides: readonly Guide[]): Promise<GuideSearch> {
    const search = new GuideSearch();
    for (const guide of guides) {
      search.add(guide);
      await nextTurn();
    }
    return search;
  }

  /** Returns at most 20 sections, best first. Ignores all but the first eight words. */
  find(words: string): FoundSection[] {
    // Split at punctuation as well, as the index does: each part of `a.b.c` is a search of its own.
    const distinct = new Set(words.toLowerCase().split(/[\s\p{Z}\p{P}]+/u));
    distinct.delete('');
    return this.index
      .search([...distinct].slice(0, MOST_WORDS).join(' '))
      .slice(0, RESULTS)
      .map(({ path, guide, heading, text, terms }) => ({
        path: String(path),
        guide: String(guide),
        heading: String(heading),
        excerpt: excerptOf(String(text), terms),
      }));
  }

  private add({ path, title, sections }: Guide): void {
    for (const { id, heading, text } of sections) {
      const address = `${path}#${id}`;
      this.index.add({ id: address, path: address, guide: title, heading, text, excerpt: '' });
    }
  }
}

function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const first = Math.max(0, Math.min(...places, text.length) - EXCERPT_BEFORE);
  const start = places.length === 0 ? 0 : first;
  const part = text.slice(start, start + EXCERPT).trim();
  return `${start > 0 ? '… ' : ''}${part}${start + EXCERPT < text.length ? ' …' : ''}`;
}
