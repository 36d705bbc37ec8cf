import { checkSmtpServer, smtpServer, type SmtpProblem } from '@passwright/mailer';
import { type Finding, type Installation, ok, problem, warning } from './finding.js';

const fixes: Record<SmtpProblem['kind'], string> = {
  unreachable: 'Check host and port of SMTP_URL, and that this machine may connect there; many hosters block port 25.',
  tls: 'Name the server in SMTP_URL as its certificate does. smtps:// is TLS from the first byte (465), smtp:// is STARTTLS (587).',
  login: 'Check user and password of SMTP_URL: percent-encode them, and use an app password if the provider has them.',
  other: 'Check SMTP_URL.',
};

/** Checks that the mail server accepts a connection, TLS and the password. Sends no mail. */
export async function mailCheck({ config, limitMs, ca }: Installation): Promise<Finding[]> {
  const { transport } = config.mailer;
  if (transport.kind === 'outbox') {
    const found = `No mail is sent: each is written as a file to ${transport.dir}.`;
    const fix = 'Set SMTP_URL and MAIL_FROM, so that codes, invitations and passes reach people.';
    return [config.production ? problem(found, fix) : ok(found)];
  }
  const server = smtpServer(transport.url);
  if (!server) return [problem('SMTP_URL cannot be read.', 'For example smtp://user:password@smtp.example.com:587.')];
  const where = `${server.host}:${server.port}`;
  const outcome = await checkSmtpServer(server, limitMs * 0.9, ca);
  if ('kind' in outcome) return [problem(`The mail server ${where}: ${outcome.reason}.`, fixes[outcome.kind])];
  const how = [outcome.secure ? 'TLS' : 'no TLS', server.auth ? 'the password is taken' : 'no password'].join(', ');
  return [
    outcome.secure
      ? ok(`The mail server ${where} responds: ${how}.`)
      : warning(
          `The mail server ${where} responds: ${how}. Mails travel in the clear.`,
          'Use a server that offers STARTTLS and add ?requireTLS=true to SMTP_URL.',
        ),
  ];
}
