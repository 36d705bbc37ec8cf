import { passMail } from '../mail/pass-mail.js';
import type { RenderTemplate, RenderType } from '../model.js';
import { aField, aPass, aTemplate, aWebContext } from '../render.fixtures.js';
import { bundlePage } from './bundle-page.js';
import { webPage } from './page.js';

const validFrom = new Date('2026-11-01T00:00:00.000Z');
const webUrl = 'https://passes.example.com/p/a/t/p';

function pageOf(type: RenderType, template: Partial<RenderTemplate>, languages: readonly string[] = []): string {
  const reader = { ...aWebContext().reader, languages };
  return webPage(aTemplate(type, template), aPass(type, { validFrom }), aWebContext({ reader })).html;
}

/** Returns the texts of the elements whose language differs from that of the page. */
const textsIn = (language: string, html: string) =>
  [...html.matchAll(new RegExp(`<[^>]* lang="${language}"[^>]*>([^<]*)`, 'g'))].map(([, text]) => text?.trim());

it('a page states the language of the texts of a pass, so that screen readers pronounce them correctly', () => {
  const html = pageOf('event', {
    language: 'sv',
    fields: [aField('row', 'Rad', '7')],
    backFields: [aField('b', 'Villkor', 'Inga')],
  });
  const shown = textsIn('sv', html);
  for (const text of ['Autumn concert', 'Harbour Hall', 'Quay 1, Hamburg', 'Rad', '7', 'Villkor', 'Inga']) {
    expect(shown).toContain(text);
  }
  // These words are the page's own.
  for (const text of ['Date', 'Place', 'Valid from']) expect(shown).not.toContain(text);
  expect(textsIn('sv', pageOf('membership', { language: 'sv' }))).toEqual(
    expect.arrayContaining(['Member', 'Ada Lovelace']),
  );
});

it('a page states the language in which it shows a translated pass', () => {
  const translations = { fi: { title: 'Syyskonsertti' } };
  expect(textsIn('fi', pageOf('offer', { translations }, ['fi']))).toContain('Syyskonsertti');
  expect(pageOf('offer', { translations }, ['en'])).not.toMatch(/ lang="(?!en")/);
});

it('a page states no language of texts if the template names none, or the language of the page', () => {
  const plain = pageOf('offer', {});
  expect(plain.match(/ lang="/g)).toHaveLength(1);
  expect(pageOf('offer', { language: 'en' })).toBe(plain);
});

it('the page of a bundle and a list of related passes state the language of each pass', () => {
  const other = { title: 'Parkering', issuerName: 'Hamnen', detail: '', iconUrl: null, ended: null, language: 'sv' };
  const { urls, reader } = aWebContext();
  const bundle = bundlePage({ passes: [{ ...other, urls }], urls, development: false, reader }).html;
  expect(textsIn('sv', bundle)).toEqual(expect.arrayContaining(['Parkering', 'Hamnen', ': Parkering']));
  const related = { passes: [{ ...other, webUrl }], allUrl: null };
  const page = webPage(aTemplate('offer'), aPass('offer'), aWebContext({ related })).html;
  expect(textsIn('sv', page)).toEqual(['Parkering', 'Hamnen']);
});

it('a pass mail states the language of the texts of a pass', () => {
  const context = { webUrl, images: {}, language: 'en', subject: 'Your pass', message: null, now: validFrom } as const;
  const { html } = passMail(aTemplate('event', { language: 'sv' }), aPass('event'), context);
  expect(textsIn('sv', html)).toEqual(['Harbour Hall', 'Autumn concert', '', 'Harbour Hall']);
  expect(html).toMatch(/lang="sv"[^>]*><strong>Harbour Hall<\/strong>/);
  const plain = passMail(aTemplate('event'), aPass('event'), context).html;
  expect(passMail(aTemplate('event', { language: 'en' }), aPass('event'), context).html).toBe(plain);
});
