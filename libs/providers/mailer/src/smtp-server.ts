/** A mail server, and how to speak with it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. */
  readonly secure: boolean;
  /** No mail without TLS; else the server's offer of it (STARTTLS) is taken where there is one. */
  readonly requireTls: boolean;
  readonly auth: { readonly user: string; readonly pass: string } | null;
}

const FLAGS: Readonly<Record<string, boolean>> = { true: true, false: false };

/**
 * Reads `smtps://user:password@host:465` (TLS) or `smtp://host:587?requireTLS=true` (STARTTLS). With a password TLS is
 * required unless the address says `requireTLS=false`. User and password are percent-encoded.
 * @returns null when it is neither
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

/** Null when there is none, undefined when it cannot be read. */
function credentialOf({ username, password }: URL): SmtpServer['auth'] | undefined {
  if (username === '' && password === '') return null;
  if (username === '' || password === '') return undefined;
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}
