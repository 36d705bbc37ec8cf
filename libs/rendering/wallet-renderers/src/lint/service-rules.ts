import type { Facts, Problem, Rule } from '../finding.js';
import { problemIf, quoted } from '../problem-text.js';

/** Rules on the operator's settings, and on drafts that the API would reject. */
export const serviceRules: readonly Rule[] = [
  {
    id: 'web-service-not-https',
    severity: 'warning',
    wallet: 'walletA',
    title: 'The address of the service is not https',
    why: 'Phones register only with an https web service, so passes are never updated. Only a developer setting on the phone allows http. The operator must fix this, so no request is rejected.',
    fix: 'set BASE_URL to an https address with a publicly trusted certificate',
    service: ({ webServiceUrl }) =>
      problemIf(webServiceUrl !== undefined && !/^https:\/\//i.test(webServiceUrl), 'baseUrl', () => {
        return `${quoted(webServiceUrl ?? '')} is not https`;
      }),
  },
  {
    id: 'short-authentication-token',
    severity: 'warning',
    wallet: 'walletA',
    title: 'The authentication token is shorter than 16 characters',
    why: 'Phones reject the pass. The service generates the tokens, so no request is rejected because of one.',
    fix: 'at least 16 characters',
    service: ({ authenticationToken }) =>
      problemIf(authenticationToken !== undefined && authenticationToken.length < 16, 'authenticationToken', () => {
        return `${authenticationToken?.length ?? 0} characters are too few`;
      }),
  },
  {
    id: 'refused-property',
    severity: 'error',
    wallet: 'all',
    title: 'A property of a draft has an invalid form',
    why: 'The property is missing, unknown, too long, or has the wrong type or format for the route.',
    fix: 'correct the property that the message names',
    template: rejected('template'),
    pass: (_, __, facts) => rejected('pass')(null, facts),
  },
];

function rejected(document: 'template' | 'pass') {
  return (_: unknown, { rejected = [] }: Pick<Facts, 'rejected'>): Problem[] =>
    rejected
      .filter((each) => each.in === document)
      .map(({ sentence }) => ({ path: pathOf(sentence), message: sentence }));
}

/** Returns the property at the start of a validation message; empty if there is none. */
function pathOf(sentence: string): string {
  const [path = ''] = /^[A-Za-z]\w*(?:\.[A-Za-z]\w*|\[\d+\])*(?= (?:must|is|should|has)\b|:)/.exec(sentence) ?? [];
  return path;
}
