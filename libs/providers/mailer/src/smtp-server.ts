/** The address, TLS rules and credentials of a mail server. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** True for TLS from the first byte. */
  readonly secure: boolean;
  /** True if mails must not be sent without TLS. If false, STARTTLS is used if the server offers it. */
  readonly requireTls: boolean;
  readonly auth: { readonly user: string; readonly pass: string } | null;
}

const FLAGS: Readonly<Record<string, boolean>> = { true: true, false: false };

/**
 * Parses `smtps://user:password@host:465` (TLS) or `smtp://host:587?requireTLS=true` (STARTTLS). An address with a
 * password requires TLS unless it contains `requireTLS=false`. User and password are percent-encoded.
 * @returns null for any other form
 */
export function smtpServer(text: string): SmtpServer | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  if (!secure && url.protocol !== 'smtp:') return null;
  if (url.hostname === '' || !['', '/'].includes(url.pathname) || url.hash) return null;
  const auth = credentialOf(url);
  if (auth === undefined || [...url.searchParams.keys()].some((name) => name !== 'requireTLS')) return null;
  const flag = url.searchParams.get('requireTLS') ?? String(secure || auth !== null);
  const requireTls = FLAGS[flag];
  if (requireTls === undefined || (secure && !requireTls)) return null;
  const port = url.port ? Number(url.port) : secure ? 465 : 587;
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port, secure, requireTls, auth };
}

/** Returns the credential. Returns null if the address has no credential, and undefined if it is unreadable. */
function credentialOf({ username, password }: URL): SmtpServer['auth'] | undefined {
  if (username === '' && password === '') return null;
  if (username === '' || password === '') return undefined;
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}
