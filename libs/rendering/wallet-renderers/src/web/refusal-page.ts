import { directionOf, phrasesOf, type Reading } from './languages.js';
import { eta, type WebPage } from './page.js';
import { contentSecurityPolicy, hashOf } from './page-policy.js';
import { pageSheet } from './page-style.js';
import { refusalTemplate } from './page-template.js';

/** Why there is no pass to show: it never was, it was deleted, or something stands in the way now. */
export type Refusal = 'notFound' | 'deleted' | 'fault';

const template = eta.compile(refusalTemplate);
const policy = contentSecurityPolicy({ styles: [hashOf(pageSheet)], imageUrls: [] });

/** What a person sees where a pass should be and is not. */
export function refusalPage(refusal: Refusal, { language }: Reading): WebPage {
  const phrases = phrasesOf(language);
  const view = {
    language,
    direction: directionOf(language),
    title: phrases[`${refusal}Title`],
    text: phrases[`${refusal}Text`],
    sheet: pageSheet,
  };
  return { html: eta.render(template, view), contentSecurityPolicy: policy };
}
