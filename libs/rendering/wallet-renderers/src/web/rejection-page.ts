import { directionOf, phrasesOf, type Reading } from './languages.js';
import { eta, type WebPage } from './page.js';
import { contentSecurityPolicy, hashOf } from './page-policy.js';
import { pageSheet } from './page-style.js';
import { rejectionTemplate } from './page-template.js';

/** The reason why there is no pass to show: it never existed, it was deleted, or a temporary error occurred. */
export type Rejection = 'notFound' | 'deleted' | 'error';

const template = eta.compile(rejectionTemplate);
const policy = contentSecurityPolicy({ styles: [hashOf(pageSheet)], imageUrls: [] });

/**
 * Builds the page for a pass that cannot be shown.
 * @param requestId the id with which the operator finds the request in the logs
 */
export function rejectionPage(rejection: Rejection, { language }: Reading, requestId?: string): WebPage {
  const phrases = phrasesOf(language);
  const view = {
    language,
    direction: directionOf(language),
    title: phrases[`${rejection}Title`],
    text: phrases[`${rejection}Text`],
    requestIdLabel: phrases.requestId,
    requestId,
    sheet: pageSheet,
  };
  return { html: eta.render(template, view), contentSecurityPolicy: policy };
}
