import { formPage, type PageText } from '../pages/form-page.js';
import type { PageResponse } from '../pages/page-response.js';
import type { PendingConsent, SignInChange } from './sign-in-consents.service.js';

/**
 * Builds the page that asks for consent before a sign-in changes something. @param baseUrl the public address of the
 * service
 */
export function consentPage({ change, identity, token, wish }: PendingConsent, baseUrl: string): PageResponse {
  const page = formPage({
    baseUrl,
    heading: 'Do you want this?',
    paragraphs: [
      ['You have signed in at ', { strong: new URL(identity.issuer).host }, ' as ', { strong: change.email }, '.'],
      ...effectsOf(change),
    ],
    form: { action: 'confirm', hidden: { token }, fields: [], button: 'Yes, go on' },
    // Allow the target of the redirect, because browsers also apply the policy to redirects after a form is sent.
    formTargets: wish.returnTo === null ? [] : [new URL(wish.returnTo).origin],
    notes: ['Nothing has been changed yet. If you did not ask for this, close the page.'],
  });
  return { status: 200, page };
}

function effectsOf({ joins, links, founds }: SignInChange): PageText[] {
  const link: Record<'existing' | 'new', PageText> = {
    existing:
      'There is a user with this e-mail. From now on you sign in as that user here, and its password and all other sessions end.',
    new: founds ? 'You get a user and an account of your own.' : 'You get a user with this e-mail.',
  };
  return [
    ...(joins ? [['You join the account ', { strong: joins.accountName }, joins.isAdmin ? ' as an admin.' : '.']] : []),
    ...(links === null ? [] : [link[links]]),
  ];
}
