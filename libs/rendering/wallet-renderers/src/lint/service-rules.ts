import type { Facts, Fault, Rule } from './finding.js';
import { faultIf, quoted } from './wording.js';

/** Rules on the operator's settings and on drafts that a save would reject. */
export const serviceRules: readonly Rule[] = [
  {
    id: 'web-service-not-https',
    severity: 'warning',
    wallet: 'walletA',
    title: 'The address of the service is not https',
    why: 'Phones take no pass whose web service is not https, so none registers and none is updated; only a developer switch on the phone allows it. It is for the operator to mend, so nothing is refused.',
    fix: 'set BASE_URL to an https address with a publicly trusted certificate',
    service: ({ webServiceUrl }) =>
      faultIf(webServiceUrl !== undefined && !/^https:\/\//i.test(webServiceUrl), 'baseUrl', () => {
        return `${quoted(webServiceUrl ?? '')} is not https`;
      }),
  },
  {
    id: 'short-authentication-token',
    severity: 'warning',
    wallet: 'walletA',
    title: 'The authentication token is shorter than 16 characters',
    why: 'Phones refuse the pass. Tokens are made by the service, so no request is refused for one.',
    fix: 'at least 16 characters',
    service: ({ authenticationToken }) =>
      faultIf(authenticationToken !== undefined && authenticationToken.length < 16, 'authenticationToken', () => {
        return `${authenticationToken?.length ?? 0} characters are too few`;
      }),
  },
  {
    id: 'refused-property',
    severity: 'error',
    wallet: 'all',
    title: 'A property of a draft has a form that is refused',
    why: 'It is missing, unknown, of the wrong type, too long or in another form than the documentation of the route gives.',
    fix: 'correct what the message names',
    template: refused('template'),
    pass: (_, __, facts) => refused('pass')(null, facts),
  },
];

function refused(document: 'template' | 'pass') {
  return (_: unknown, { refused = [] }: Pick<Facts, 'refused'>): Fault[] =>
    refused
      .filter((each) => each.in === document)
      .map(({ sentence }) => ({ path: pathOf(sentence), message: sentence }));
}

/** Returns the property at the start of a validation message; empty if there is none. */
function pathOf(sentence: string): string {
  const [path = ''] = /^[A-Za-z]\w*(?:\.[A-Za-z]\w*|\[\d+\])*(?= (?:must|is|should|has)\b|:)/.exec(sentence) ?? [];
  return path;
}
