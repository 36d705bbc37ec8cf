import type { Template, TemplateAddress } from '@passwright/templates';
import { LRUCache } from 'lru-cache';

/** The maximum length of all templates as JSON, in characters. In memory they take several times as many bytes. */
const MOST_CHARACTERS = 8 * 2 ** 20;

/**
 * Templates as this process has last read them. They may have changed since, so whoever uses one must check in the same
 * transaction that it is still current.
 */
export class KnownTemplates {
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
    // Measuring its size takes longer than comparing its version.
    if (known && isSame(known, template)) return;
    this.entries.set(key, template);
  }
}

const keyOf = ({ accountId, templateId }: TemplateAddress) => `${accountId} ${templateId}`;

function isSame(a: Template, b: Template): boolean {
  return a.revision === b.revision && a.updatedAt.getTime() === b.updatedAt.getTime();
}
