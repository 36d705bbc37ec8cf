import { posix } from 'node:path';
import MarkdownIt from 'markdown-it';
import type Token from 'markdown-it/lib/token.mjs';

/** A guide as HTML. */
export interface Guide {
  /** The path below /guides, such as `recipes/loyalty`; empty for the overview. */
  readonly path: string;
  readonly title: string;
  readonly html: string;
  readonly sections: readonly GuideSection[];
}

/** The text below a heading, for the search. */
export interface GuideSection {
  /** The id of the heading; empty before the first one. */
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

const OVERVIEW = 'README.md';
// Allow HTML, because the guides are our own files.
const markdown = new MarkdownIt({ html: true });

/** Returns the path of a guide below /guides. @param file relative to the folder of the guides */
export function guidePath(file: string): string {
  return file === OVERVIEW ? '' : file.replace(/\.md$/, '');
}

/**
 * Renders a guide.
 * @param file its file, relative to the folder of the guides
 * @param addressOf returns the address that shows another file, or null for a file that the service does not serve
 */
export function renderGuide(file: string, source: string, addressOf: (file: string) => string | null): Guide {
  const tokens = markdown.parse(source, {});
  identifyHeadings(tokens);
  identifyCodes(tokens);
  alignByClass(tokens);
  for (const { children } of tokens) resolveLinks(children ?? [], file, addressOf);
  const rendered = markdown.renderer.render(scrollable(tokens), markdown.options, {});
  // Let readers scroll long lines of code by keyboard.
  const html = rendered.replaceAll('<pre>', '<pre tabindex="0">');
  const sections = sectionsOf(tokens);
  return { path: guidePath(file), title: sections[0]?.heading ?? file, html, sections };
}

/** Gives each heading the id that code hosts generate, so that links to headings work in both places. */
function identifyHeadings(tokens: readonly Token[]): void {
  const taken = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const words = textOf(tokens[index + 1]).toLowerCase();
    const slug = words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    const count = taken.get(slug) ?? 0;
    taken.set(slug, count + 1);
    token.attrSet('id', count === 0 ? slug : `${slug}-${count}`);
  }
}

/** Uses the code that a table row explains, such as `pass_exists`, as the id of the row. */
function identifyCodes(tokens: readonly Token[]): void {
  const taken = new Set(tokens.map((token) => token.attrGet('id')));
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'tr_open') continue;
    const [code, ...others] = tokens[index + 2]?.children ?? [];
    const isCode = code?.type === 'code_inline' && others.length === 0 && /^[a-z]+(_[a-z]+)*$/.test(code.content);
    if (!isCode || taken.has(code.content)) continue;
    taken.add(code.content);
    token.attrSet('id', code.content);
  }
}

/** Replaces the inline styles of aligned table cells by classes, because the pages' security policy blocks such styles. */
function alignByClass(tokens: readonly Token[]): void {
  for (const token of tokens) {
    const alignment = /^text-align:(center|right)$/.exec(token.attrGet('style') ?? '')?.[1];
    token.attrs = token.attrs?.filter(([name]) => name !== 'style') ?? null;
    if (alignment) token.attrSet('class', alignment);
  }
}

/** Resolves links and images. A link to a file that is not served becomes plain text. */
function resolveLinks(tokens: readonly Token[], file: string, addressOf: (file: string) => string | null): void {
  let isPlain = false;
  for (const token of tokens) {
    const name = token.type === 'image' ? 'src' : 'href';
    const target = token.attrGet(name);
    if (token.type === 'link_open' || token.type === 'image') {
      const address = target === null ? null : resolved(target, file, addressOf);
      if (address !== null) token.attrSet(name, address);
      else if (token.type === 'link_open') [isPlain, token.tag, token.attrs] = [true, 'span', null];
    } else if (token.type === 'link_close' && isPlain) {
      [isPlain, token.tag] = [false, 'span'];
    }
  }
}

function resolved(target: string, file: string, addressOf: (file: string) => string | null): string | null {
  if (/^(?:[a-z]+:|#)/.test(target)) return target;
  const [path = '', fragment] = target.split('#', 2);
  const address = addressOf(posix.join(posix.dirname(file), path));
  return address !== null && fragment !== undefined ? `${address}#${fragment}` : address;
}

/** Wraps tables, so that a reader can scroll a wide table by keyboard. */
function scrollable(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token) => {
    if (token.type === 'table_open') return [htmlToken(token, '<div class="scroll" tabindex="0">'), token];
    if (token.type === 'table_close') return [token, htmlToken(token, '</div>')];
    return [token];
  });
}

function htmlToken({ constructor }: Token, content: string): Token {
  const token = new (constructor as typeof Token)('html_block', '', 0);
  token.content = content;
  return token;
}

function sectionsOf(tokens: readonly Token[]): GuideSection[] {
  const sections: { id: string; heading: string; text: string }[] = [];
  for (const [index, token] of tokens.entries()) {
    const section = sections.at(-1);
    const isText = token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open';
    if (token.type === 'heading_open') {
      sections.push({ id: token.attrGet('id') ?? '', heading: textOf(tokens[index + 1]), text: '' });
    } else if (section && isText) section.text += `${textOf(token)} `;
    else if (section && token.type === 'fence') section.text += `${token.content} `;
  }
  return sections;
}

function textOf(token: Token | undefined): string {
  const texts = (token?.children ?? []).map(({ type, content }) =>
    type === 'softbreak' || type === 'hardbreak' ? ' ' : type === 'html_inline' ? '' : content,
  );
  return texts.join('');
}
