import type { RenderMessage, RenderPass, RenderTemplate } from '../model.js';
import { aField, aPass, aTemplate, aWebContext } from '../render.fixtures.js';
import { webPage } from './page.js';

const back = [aField('terms', 'Begriffe', 'Keine Rückgabe')];
const german: Partial<RenderTemplate> = { language: 'de', title: 'Herbstkonzert', backFields: back };
const images = { logo: 'https://passes.example.com/images/logo.png' };

/** Returns the page of an event for a reader of English, who also asks for `wanted`. */
function pageOf(template: Partial<RenderTemplate>, pass: Partial<RenderPass> = {}, wanted: readonly string[] = []) {
  const reader = { ...aWebContext().reader, languages: ['en', ...wanted] };
  return webPage(aTemplate('event', template), aPass('event', pass), aWebContext({ reader, images })).html;
}

/** Returns the language that each text is marked with, or null. */
function languageOf(html: string, text: string): string | null {
  const [, attributes = ''] = new RegExp(`<(?:\\w+)([^<>]*)>(?:<b>[^<]*</b>\n)?${text}<`).exec(html) ?? [];
  return / lang="([^"]*)"/.exec(attributes)?.[1] ?? null;
}

it('a page marks the texts of a pass with their language, but not its own words, if the two languages differ', () => {
  const html = pageOf(german, { validFrom: new Date('2026-11-01T00:00:00.000Z') });
  for (const text of ['Herbstkonzert', 'Harbour Hall', 'Quay 1, Hamburg', 'Gate', 'B', 'Begriffe', 'Keine Rückgabe']) {
    expect([text, languageOf(html, text)]).toEqual([text, 'de']);
  }
  expect(html).toContain('alt="Harbour Hall" lang="de"');
  for (const text of ['Date', 'Place', 'Details', 'Valid from']) {
    expect([text, html.includes(`>${text}<`), languageOf(html, text)]).toEqual([text, true, null]);
  }
});

it.each([
  ['the language of the page', 'en-GB'],
  ['not known', null],
])('a page marks no text if the language of the pass is %s', (_, language) => {
  expect(pageOf({ ...german, language }).match(/ lang="/g)).toHaveLength(1);
});

it('a page marks each text with the language of its translation, and untranslated texts with their original language', () => {
  const translations = { sv: { 'backFields.help.value': 'Ring oss' } };
  const html = pageOf(german, { translations }, ['sv']);
  expect([languageOf(html, 'Herbstkonzert'), languageOf(html, 'Ring oss')]).toEqual(['de', 'sv']);
  const all = pageOf({ ...german, translations: { sv: { title: 'Höstkonsert' } } }, {}, ['sv-FI']);
  expect(languageOf(all, 'Höstkonsert')).toBe('sv');
});

it('a page marks each message with its own language', () => {
  const sentAt = '2026-11-20T08:00:00.000Z';
  const message = (text: string): RenderMessage => ({ title: 'Titel', text, sentAt });
  const messages = [message('Bis gleich'), { ...message('Hallo'), translations: { sv: { text: 'Hej' } } }];
  const html = pageOf(german, { messages }, ['sv']);
  expect([languageOf(html, 'Bis gleich'), languageOf(html, 'Hej')]).toEqual(['de', 'sv']);
});
