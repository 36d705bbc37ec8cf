import { type Mail, MailRejected } from '@passwright/core';
import { FixedClock, freePort } from '@passwright/testing';
import { floodingServer, MailServer, silentServer } from './mail-server.fixtures.js';
import { MailNotTaken } from './mail-not-taken.js';
import { SmtpMailer, type SmtpTimeouts } from './smtp-mailer.js';
import { smtpServer, type SmtpServer } from './smtp-server.js';

const clock = new FixedClock('2026-11-20T10:00:00.000Z');
const mail: Mail = {
  to: 'ada@example.com',
  subject: 'Your certificate expires',
  text: 'It expires in 30 days.',
  html: '<p>It expires in <b>30</b> days.</p>',
};
const stops: (() => unknown)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function serverWith(options: Parameters<typeof MailServer.start>[0] = {}): Promise<MailServer> {
  const server = await MailServer.start(options);
  stops.push(() => server.stop());
  return server;
}

function mailerTo(port: number, changes: Partial<SmtpServer> = {}, timeouts?: SmtpTimeouts): SmtpMailer {
  const server = { host: '127.0.0.1', port, secure: false, requireTls: false, auth: null, ...changes };
  const mailer = new SmtpMailer(server, { name: 'Passwright, Inc.', address: 'passes@example.org' }, clock, timeouts);
  stops.push(() => mailer.onApplicationShutdown());
  return mailer;
}

const brief: SmtpTimeouts = { connectMs: 150, responseMs: 150, mailMs: 2000 };

describe('a mail', () => {
  it('SmtpMailer sends a mail as plain text and HTML, from the sender to its recipient alone', async () => {
    const server = await serverWith();
    await mailerTo(server.port).send(mail);
    expect(server.received).toHaveLength(1);
    const { recipients, headers, body } = server.received[0]!;
    expect(recipients).toEqual(['ada@example.com']);
    expect(headers.split('\r\n')).toEqual(
      expect.arrayContaining([
        'From: "Passwright, Inc." <passes@example.org>',
        'To: ada@example.com',
        'Subject: Your certificate expires',
        'Date: Fri, 20 Nov 2026 10:00:00 +0000',
        'Auto-Submitted: auto-generated',
      ]),
    );
    expect(body).toMatch(/text\/plain.*It expires in 30 days\..*text\/html.*<b>30<\/b>/s);
  });

  it('SmtpMailer sends a Reply-To header only if the mail has a reply address', async () => {
    const server = await serverWith();
    const mailer = mailerTo(server.port);
    await mailer.send({ ...mail, replyTo: 'box.office@example.net' });
    await mailer.send(mail);
    expect(server.received.map(({ headers }) => /^Reply-To: (.*)$/m.exec(headers)?.[1])).toEqual([
      'box.office@example.net',
      undefined,
    ]);
  });

  it('SmtpMailer preserves a subject and texts with non-ASCII characters', async () => {
    const server = await serverWith();
    await mailerTo(server.port).send({ ...mail, subject: 'Läuft ab: 証明書 🎟', text: 'Grüße', html: '<p>Grüße</p>' });
    const { headers, body } = server.received[0]!;
    const words = [.../^Subject: (.*)$/m.exec(headers)![1]!.matchAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/g)];
    const bytes = words.map(([, kind, word]) =>
      kind === 'B'
        ? Buffer.from(word!, 'base64')
        : Buffer.from(
            word!.replaceAll('_', ' ').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
            'latin1',
          ),
    );
    expect(Buffer.concat(bytes).toString()).toBe('Läuft ab: 証明書 🎟');
    expect(body).toMatch(/Gr=C3=BC=C3=9Fe|R3LDvMOfZQ/);
  });

  it('SmtpMailer gives mails with the same id the same Message-ID, and mails without an id a new one', async () => {
    const server = await serverWith();
    const mailer = mailerTo(server.port);
    for (const id of ['notice:acc_1:30', 'notice:acc_1:30', undefined, undefined]) await mailer.send({ ...mail, id });
    const ids = server.received.map(({ headers }) => /^Message-ID: (<[\w-]+@example\.org>)/m.exec(headers)?.[1]);
    expect(ids[0]).toBeDefined();
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(3);
  });

  it('SmtpMailer reuses the connection for the next mail', async () => {
    const server = await serverWith();
    const mailer = mailerTo(server.port);
    for (let count = 0; count < 3; count++) await mailer.send(mail);
    expect([server.received.length, server.connections]).toEqual([3, 1]);
  });
});

describe('mails that SmtpMailer rejects before sending', () => {
  it.each([
    'a@example.com,b@example.com',
    'a@example.com b@example.com',
    'a@example.com; b@example.com',
    'Ada <ada@example.com>',
    '<ada@example.com>',
    'group: a@example.com, b@example.com;',
    'ada@example.com (comment)',
    'ada(comment)@example.com',
    '"a, b@example.com"@example.com',
    'ada@example.com\nBcc: eve@example.com',
    'ada@example.com\r\n',
    '=?UTF-8?Q?ada=40example.com=2Ceve=40example.org?=',
    'ada@[127.0.0.1]',
    'ada@localhost',
    'ada@exämple.com',
    `${'a'.repeat(300)}@example.com`,
    '',
  ])('SmtpMailer rejects a mail to %j', async (to) => {
    const server = await serverWith();
    await expect(mailerTo(server.port).send({ ...mail, to })).rejects.toThrow(MailRejected);
    expect([server.received, server.connections]).toEqual([[], 0]);
  });

  it.each(['Ada <ada@example.com>', 'a@example.com, b@example.com', 'a@example.com\nBcc: eve@example.com', ''])(
    'SmtpMailer rejects a mail with the reply address %j',
    async (replyTo) => {
      await expect(mailerTo(1).send({ ...mail, replyTo })).rejects.toThrow(MailRejected);
    },
  );

  it.each(['Hello\nBcc: eve@example.com', 'Hello\r\n\r\nbody', 'Hello\u2028', '\0', '', 'x'.repeat(256)])(
    'SmtpMailer rejects a mail with the subject %j',
    async (subject) => {
      const mailer = mailerTo(1);
      await expect(mailer.send({ ...mail, subject })).rejects.toThrow(MailRejected);
    },
  );

  it('SmtpMailer rejects a mail that is too large, and a mail whose id is not a single line', async () => {
    const mailer = mailerTo(1);
    await expect(mailer.send({ ...mail, html: 'x'.repeat(1024 * 1024) })).rejects.toThrow(MailRejected);
    await expect(mailer.send({ ...mail, id: 'a\nb' })).rejects.toThrow(MailRejected);
  });
});

describe('a mail server with an error or a delay', () => {
  const responding = (responseCode: number, status: string) =>
    serverWith({
      onRcptTo: ({ address }, _session, done) =>
        done(Object.assign(new Error(`${status}<${address}> unknown here`), { responseCode })),
    });

  it.each([
    ['rejects the recipient for good', 550, '', MailRejected],
    ['rejects the recipient for good with an enhanced status', 550, '5.1.1 ', MailRejected],
    ['rejects the recipient for now', 450, '', MailNotTaken],
    ['accepts no mail at all', 530, '', MailNotTaken],
    ['rejects this service by policy', 554, '5.7.1 ', MailNotTaken],
  ])(
    "SmtpMailer reports an error without the recipient's address when a mail server %s",
    async (_, code, status, kind) => {
      const server = await responding(code, status);
      const failure = await mailerTo(server.port)
        .send(mail)
        .catch((error: Error) => error);
      expect(failure).toBeInstanceOf(kind);
      expect((failure as Error).message).toMatch(new RegExp(`${code}.*unknown here`));
      expect((failure as Error).message).not.toContain('ada');
      expect(server.received).toEqual([]);
    },
  );

  it('SmtpMailer rejects a mail permanently if the server rejects its content', async () => {
    const server = await serverWith({
      onData: (stream, _session, done) => {
        stream.resume();
        stream.on('end', () => done(Object.assign(new Error('looks like spam'), { responseCode: 554 })));
      },
    });
    await expect(mailerTo(server.port).send(mail)).rejects.toThrow(MailRejected);
  });

  it.each([
    ['never greets', ''],
    ['greets, then says nothing', '220 mail.example.org ESMTP\r\n'],
  ])('SmtpMailer fails in time when a mail server %s', async (_, greeting) => {
    const { port, stop } = await silentServer(greeting);
    stops.push(stop);
    await expect(mailerTo(port, {}, brief).send(mail)).rejects.toThrow(MailNotTaken);
  });

  it('SmtpMailer disconnects from a mail server that floods blank lines, after few of them', async () => {
    const { port, sent, stop } = await floodingServer();
    stops.push(stop);
    await expect(mailerTo(port).send(mail)).rejects.toThrow('more than 16384 bytes without a command');
    // The system buffers some megabytes that the mailer never reads.
    expect(await sent).toBeLessThan(16 * 1024 * 1024);
  });

  it('SmtpMailer fails in time when a mail server keeps sending small amounts of data', async () => {
    const server = await serverWith({ onData: (stream) => void stream.on('error', () => undefined).resume() });
    const mailer = mailerTo(server.port, {}, { connectMs: 5000, responseMs: 5000, mailMs: 200 });
    await expect(mailer.send(mail)).rejects.toThrow('no end in 200 ms');
  });

  it('SmtpMailer sends no mail after its time limit, even if the mail waited for a connection', async () => {
    const held: (() => void)[] = [];
    let closed = 0;
    let onClosed: () => void = () => undefined;
    const allClosed = new Promise<void>((resolve) => (onClosed = resolve));
    const server = await serverWith({
      onMailFrom: (_address, _session, done) => void held.push(done),
      onClose: () => void ((closed += 1) === 2 && onClosed()),
    });
    const mailer = mailerTo(server.port, {}, { connectMs: 5000, responseMs: 60_000, mailMs: 300 });
    // At most two connections are open, so the third mail waits for one of them.
    const results = await Promise.allSettled([mailer.send(mail), mailer.send(mail), mailer.send(mail)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    // The server responds, but too late.
    for (const done of held) done();
    await allClosed;
    expect(server.received).toEqual([]);
  });

  it('SmtpMailer fails when the mail server is down, and sends the next mail when it is back', async () => {
    const port = await freePort();
    const mailer = mailerTo(port);
    await expect(mailer.send(mail)).rejects.toThrow(/ECONNREFUSED/);
    const again = await MailServer.start({}, port);
    stops.push(() => again.stop());
    await mailer.send(mail);
    expect(again.received).toHaveLength(1);
  });

  it('SmtpMailer sends nothing to a server without TLS when TLS is required', async () => {
    const server = await serverWith();
    await expect(mailerTo(server.port, { requireTls: true }).send(mail)).rejects.toThrow(MailNotTaken);
    expect(server.received).toEqual([]);
  });

  it('SmtpMailer sends nothing to a server with an untrusted certificate, whether by STARTTLS or by direct TLS', async () => {
    // The test server logs that its own certificate is untrusted.
    jest.spyOn(console, 'error').mockImplementation();
    const starting = await serverWith({ hideSTARTTLS: false });
    await expect(mailerTo(starting.port, { requireTls: true }).send(mail)).rejects.toThrow(/certificate/);
    const secure = await serverWith({ secure: true });
    await expect(mailerTo(secure.port, { secure: true }).send(mail)).rejects.toThrow(/certificate/);
    expect([...starting.received, ...secure.received]).toEqual([]);
  });

  it('SmtpMailer signs in with the user and password in the address of the server', async () => {
    const seen: unknown[] = [];
    const server = await serverWith({
      authOptional: false,
      allowInsecureAuth: true,
      authMethods: ['PLAIN'],
      onAuth: ({ username, password }, _session, done) => {
        seen.push([username, password]);
        done(null, { user: username });
      },
    });
    const url = smtpServer(`smtp://user%40example.org:p%3Aw@127.0.0.1:${server.port}?requireTLS=false`)!;
    await mailerTo(server.port, url).send(mail);
    expect(seen).toEqual([['user@example.org', 'p:w']]);
  });
});
