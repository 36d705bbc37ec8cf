/** A block of PEM text. */
export interface PemBlock {
  /** The text after `BEGIN`: `CERTIFICATE`, `RSA PRIVATE KEY` … */
  readonly label: string;
  readonly der: Buffer;
  /** True when the key in the block is encrypted. */
  readonly encrypted: boolean;
  /** The block without the text around it, in the form that OpenSSL reads. */
  readonly text: string;
}

const BEGIN = '-----BEGIN ';
const DASHES = '-----';
/** The header that old versions of OpenSSL write above the base64 of an encrypted key. */
const OLD_ENCRYPTION = 'Proc-Type: 4,ENCRYPTED';
const MAX_BLOCKS = 50;

/** Returns true when the text looks like PEM. */
export function isPem(text: string): boolean {
  return text.includes(BEGIN);
}

/**
 * Finds the PEM blocks of a text, even inside other text or indented. Accepts every kind of line end, even a backslash
 * and an n, as in environment variables. Skips blocks without an end.
 */
export function pemBlocks(source: string): PemBlock[] {
  const text = source.replaceAll('\\n', '\n').replaceAll('\r', '');
  const blocks: PemBlock[] = [];
  for (let at = text.indexOf(BEGIN); at >= 0 && blocks.length < MAX_BLOCKS;) {
    const labelAt = at + BEGIN.length;
    const label = text.slice(labelAt, text.indexOf(DASHES, labelAt));
    const bodyAt = labelAt + label.length + DASHES.length;
    const endAt = text.indexOf(DASHES, bodyAt);
    if (endAt < 0) break;
    if (text.startsWith(`-----END ${label}-----`, endAt)) blocks.push(block(label, text.slice(bodyAt, endAt)));
    at = text.indexOf(BEGIN, endAt);
  }
  return blocks;
}

function block(label: string, body: string): PemBlock {
  const lines = body.split('\n').map((line) => line.trim());
  const base64 = lines.filter((line) => line && !line.includes(':'));
  const isOld = lines.includes(OLD_ENCRYPTION);
  const headers = isOld ? [...lines.filter((line) => line.includes(':')), ''] : [];
  return {
    label,
    der: Buffer.from(base64.join(''), 'base64'),
    encrypted: isOld || label === 'ENCRYPTED PRIVATE KEY',
    text: [`${BEGIN}${label}${DASHES}`, ...headers, ...base64, `-----END ${label}${DASHES}`, ''].join('\n'),
  };
}
