import { directionOf, phrasesOf, type Reading } from './languages.js';
import { eta, type WebPage } from './page.js';
import { contentSecurityPolicy, hashOf } from './page-policy.js';
import { pageSheet } from './page-style.js';
import { refusalTemplate } from './page-template.js';

/** The reason why there is no pass to show: it never existed, it was deleted, or there is a temporary fault. */
export type Refusal = 'notFound' | 'deleted' | 'fault';

const template = eta.compile(refusalTemplate);
const policy = contentSecurityPolicy({ styles: [hashOf(pageSheet)], imageUrls: [] });

/** Builds the page for a pass that cannot be shown. */
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
