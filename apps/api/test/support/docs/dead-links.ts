import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { read, root } from './doc-snippets.js';

/** Lists the links to missing files or headings in the repository. */
export function deadLinks(document: string): string[] {
  const prose = withoutCode(read(document));
  const markdown = [...prose.matchAll(/\]\(([^)\s]+)\)/g)];
  const html = [...prose.matchAll(/<(?:img|a)\s[^>]*?(?:src|href)="([^"]+)"/g)];
  return [...markdown, ...html]
    .map(([, target]) => target as string)
    .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(document, target));
}

function leadsSomewhere(document: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? join(root, document) : resolve(root, dirname(document), decodeURI(path));
  if (!existsSync(file)) return false;
  return anchor === undefined || !file.endsWith('.md') || anchorsOf(relative(root, file)).has(anchor);
}

/** Returns the anchors that GitHub generates for a document's headings. */
function anchorsOf(document: string): Set<string> {
  const anchors = new Set<string>();
  const text = read(document).replace(/^(\s*)(`{3,})[\s\S]*?^\s*\2$/gm, '');
  for (const [, heading = ''] of text.matchAll(/^#{1,6} +(.+)$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '').replaceAll(' ', '-');
    for (let copy = 0; ; copy++) {
      const name = copy === 0 ? anchor : `${anchor}-${copy}`;
      if (anchors.has(name)) continue;
      anchors.add(name);
      break;
    }
  }
  return anchors;
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^(\s*)(`{3,})[\s\S]*?^\s*\2$/gm, '').replace(/`[^`\n]*`/g, '');
}
