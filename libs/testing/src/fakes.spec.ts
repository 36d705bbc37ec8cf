import { text } from 'node:stream/consumers';
import { WalletUnavailable } from '@passwright/core';
import { FakeCredentials, FakeSigner, FixedClock, MemoryStorage, RecordingMailer } from './fakes.js';

it('FixedClock always shows the same time until a test moves it', () => {
  const clock = new FixedClock('2026-01-01T00:00:00.000Z');
  clock.now().setFullYear(1999);
  expect(clock.now().toISOString()).toBe('2026-01-01T00:00:00.000Z');
  clock.advance(90);
  expect(clock.now().toISOString()).toBe('2026-01-01T00:01:30.000Z');
  clock.set('2027-01-01T00:00:00.000Z');
  expect(clock.now().getUTCFullYear()).toBe(2027);
});

it('MemoryStorage copies bytes, so that later changes do not affect the stored blob', async () => {
  const storage = new MemoryStorage();
  const given = Buffer.from('logo');
  await storage.put('a/logo.png', given, 'image/png');
  given.fill(0);
  (await storage.get('a/logo.png'))?.fill(0);
  const blob = await storage.open('a/logo.png');
  expect(blob?.sizeBytes).toBe(4);
  expect(blob && (await text(blob.stream))).toBe('logo');
  expect(storage.blobs.get('a/logo.png')?.contentType).toBe('image/png');
});

it('MemoryStorage returns null for a missing or deleted blob, and ignores a second deletion', async () => {
  const storage = new MemoryStorage();
  await storage.put('a', Buffer.of(1), 'image/png');
  await storage.delete('a');
  await storage.delete('a');
  expect(await storage.get('a')).toBeNull();
  expect(await storage.open('a')).toBeNull();
});

it('FakeSigner returns equal signatures only for equal content and the same account', async () => {
  const signer = new FakeSigner({ teamIdentifier: 'ANOTHER001' });
  const signatures = await Promise.all([
    signer.sign('one', Buffer.from('manifest')),
    new FakeSigner().sign('one', Buffer.from('manifest')),
    signer.sign('one', Buffer.from('another')),
    signer.sign('two', Buffer.from('manifest')),
  ]);
  expect(signatures[1]).toEqual(signatures[0]);
  expect(new Set(signatures.map((bytes) => Buffer.from(bytes).toString('hex'))).size).toBe(3);
  expect((await signer.identity('one')).teamIdentifier).toBe('ANOTHER001');
});

it('RecordingMailer records sent mails in order, and omits mails that failed', async () => {
  const mailer = new RecordingMailer();
  const mail = (to: string) => ({ to, subject: 'Expiry', text: 'soon', html: '<p>soon</p>' });
  await mailer.send(mail('ada@example.com'));
  mailer.failNext();
  await expect(mailer.send(mail('ada@example.com'))).rejects.toThrow('does not take it');
  await mailer.send(mail('bob@example.com'));
  expect(mailer.sent.map(({ to }) => to)).toEqual(['ada@example.com', 'bob@example.com']);
  expect(mailer.to('bob@example.com')).toHaveLength(1);
});

it('FakeCredentials returns one credential for all accounts without their own', async () => {
  const credentials = new FakeCredentials();
  const everybodys = await credentials.of('one');
  credentials.set('two', { passTypeIdentifier: 'pass.com.example.two' });
  credentials.set('three', new WalletUnavailable('It has expired.'));
  expect(await credentials.of('one')).toBe(everybodys);
  expect((await credentials.of('two')).passTypeIdentifier).toBe('pass.com.example.two');
  await expect(credentials.of('three')).rejects.toThrow('It has expired.');
  credentials.set('three', null);
  expect(await credentials.of('three')).toBe(everybodys);
});
