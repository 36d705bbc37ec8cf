import { ruleThemes } from './lint-rules.js';
import type { Rule } from './finding.js';

const wallets = { walletA: 'Apple Wallet', walletB: 'Google Wallet', web: 'the web view', all: 'all wallets' };
const severities = { error: 'Error', warning: 'Warning', info: 'Info' };

/** Generates `docs/template-lint.md` from the rules. */
export function lintPage(): string {
  return `${[introduction, ...ruleThemes.map(({ theme, rules }) => [`## ${theme}`, ...rules.map(section)].join('\n\n'))].join('\n\n')}\n`;
}

const introduction = `# Template lint

Much of what is wrong with a pass fails in silence: the phone refuses it without a word, leaves out the barcode, cuts a
text. The lint examines a template, and a pass of it, and says so before.

\`POST /v1/templates/{templateId}/lint\` answers what it finds in a stored template or in a draft. Each finding has the
\`rule\` below, the document it is \`in\` (\`template\`, \`pass\` or \`service\`), the \`path\` of the value there
(\`$.fields[2].value\`), the \`severity\`, the \`wallet\`, a \`message\` and a \`fix\`. Ids of rules are stable.

- An **error** is refused when the template or the pass is saved, with 400 and the name of the property.
- A **warning** is saved, and fails or looks wrong on a phone.
- An **info** is worth knowing.

This page is made from the rules.`;

function section({ id, severity, wallet, title, why, fix }: Rule): string {
  return [
    `### \`${id}\``,
    `${severities[severity]}, ${wallets[wallet]}. ${title}.`,
    why,
    `What would be right: ${fix.replace(/(^|\s)"_"/, '$1`_`')}.`,
  ].join('\n\n');
}
