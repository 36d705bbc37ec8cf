/** A finding of the template lint. */
export interface Finding {
  readonly rule: string;
  readonly in: 'template' | 'pass' | 'service';
  readonly path: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly wallet: 'walletA' | 'walletB' | 'web' | 'all';
  readonly message: string;
  readonly fix: string;
}

const wallets = { walletA: 'Apple Wallet', walletB: 'Google Wallet', web: 'the web', all: 'every wallet' };

/** Formats a finding as a sentence with its remedy. */
export function sentenceOf({ message, fix, wallet }: Finding): string {
  const where = wallet === 'all' ? '' : ` (${wallets[wallet]})`;
  return `${message}; ${fix}${where}`;
}

/** Joins the findings at and below a path of the template into one text. Omits findings of severity `info`. */
export function findingsAt(
  findings: readonly Finding[],
  path: string,
): { error: string | null; warning: string | null } {
  const here = findings.filter((each) => each.in === 'template' && isAt(each.path.replace(/^\$\.?/, ''), path));
  const joined = (severity: Finding['severity']) =>
    here
      .filter((each) => each.severity === severity)
      .map(sentenceOf)
      .join('. ') || null;
  return { error: joined('error'), warning: joined('warning') };
}

function isAt(found: string, path: string): boolean {
  return found === path || found.startsWith(`${path}.`) || found.startsWith(`${path}[`);
}
