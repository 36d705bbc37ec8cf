import { ruleThemes } from './lint-rules.js';
import type { Rule } from '../finding.js';

const wallets = { walletA: 'Apple Wallet', walletB: 'Google Wallet', web: 'the web view', all: 'all wallets' };
const severities = { error: 'Error', warning: 'Warning', info: 'Info' };

/** Generates `docs/template-lint.md` from the rules. */
export function lintPage(): string {
  return `${[introduction, ...ruleThemes.map(({ theme, rules }) => [`## ${theme}`, ...rules.map(section)].join('\n\n')), next].join('\n\n')}\n`;
}

const introduction = `# Template lint

The lint finds mistakes in a template, and in a pass of it, that would otherwise fail silently on a phone. The phone
might reject the pass, leave out the barcode or cut off a text. This page lists the rules with their reasons and fixes,
and is generated from them.

\`POST /v1/templates/{templateId}/lint\` checks a stored template or a draft. Each finding has:

- \`rule\`: an id of this page. Ids are stable.
- \`in\`: the document (\`template\`, \`pass\` or \`service\`)
- \`path\`: the value in the document (\`$.fields[2].value\`)
- \`severity\`, \`wallet\`, \`message\` and \`fix\`

| Severity | Meaning                                                                        |
| -------- | ------------------------------------------------------------------------------ |
| error    | saving the template or pass is rejected, with 400 and the name of the property |
| warning  | you can save it, but it fails or looks wrong on a phone                        |
| info     | worth knowing                                                                  |`;

const next =
  'Next: [command line](command-line.md), [Apple Wallet](apple-wallet.md), [Google Wallet](google-wallet.md).';

function section({ id, severity, wallet, title, why, fix }: Rule): string {
  return [
    `### \`${id}\``,
    `${severities[severity]}, ${wallets[wallet]}. ${title}.`,
    why,
    `Fix: ${fix.replace(/(^|\s)"_"/, '$1`_`')}.`,
  ].join('\n\n');
}
