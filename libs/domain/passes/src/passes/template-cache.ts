import type { Template, TemplateAddress } from '@passwright/templates';
import { LRUCache } from 'lru-cache';

/** Maximum total length of the templates as JSON, in characters. They need several times as many bytes of memory. */
const MOST_CHARACTERS = 8 * 2 ** 20;

/**
 * Caches the templates that this process has read. They may have changed since, so a transaction must check that a
 * template is still current.
 */
export class TemplateCache {
  private readonly entries = new LRUCache<string, Template>({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (template) => JSON.stringify(template).length,
  });

  get(address: TemplateAddress): Template | undefined {
    return this.entries.get(keyOf(address));
  }

  add(template: Template): void {
    const { accountId, id: templateId } = template;
    const key = keyOf({ accountId, templateId });
    const known = this.entries.peek(key);
    // Compare versions first, because this is faster than measuring the size.
    if (known && isSame(known, template)) return;
    this.entries.set(key, template);
  }
}

const keyOf = ({ accountId, templateId }: TemplateAddress) => `${accountId} ${templateId}`;

function isSame(a: Template, b: Template): boolean {
  return a.revision === b.revision && a.updatedAt.getTime() === b.updatedAt.getTime();
}
