import fc from 'fast-check';
import { senderOf } from './sender.js';
import { smtpServer } from './smtp-server.js';

describe('the address of a mail server', () => {
  it.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, requireTls: false, auth: null }],
    ['smtps://mail.example.com', { port: 465, secure: true, requireTls: true }],
    ['smtp://mail:2525?requireTLS=true', { host: 'mail', port: 2525, requireTls: true }],
    ['smtp://u:p%40ss@mail', { requireTls: true, auth: { user: 'u', pass: 'p@ss' } }],
    ['smtp://u:p@mail?requireTLS=false', { requireTls: false }],
    ['smtp://[::1]:25', { host: '::1', port: 25 }],
  ])('smtpServer reads %s', (text, server) => {
    expect(smtpServer(text)).toMatchObject(server);
  });

  it.each([
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp://u@mail',
    'smtp://u:%ff@mail',
    'smtp://mail/path',
    'smtp://mail#x',
    'smtp://mail?requireTLS=yes',
    'smtps://mail?requireTLS=false',
    'smtp://mail?tls.rejectUnauthorized=false',
  ])('smtpServer rejects %s', (text) => {
    expect(smtpServer(text)).toBeNull();
  });

  it('smtpServer parses or rejects any text and never throws', () => {
    const text = fc.string({
      unit: fc.constantFrom('smtp://', '%', '@', ':', '?', 'requireTLS=', 'true', '[', ']', '/', 'a'),
    });
    fc.assert(fc.property(text, (any) => smtpServer(any) === null || typeof smtpServer(any)?.host === 'string'));
  });
});

describe('the sender', () => {
  it.each([
    ['a@example.com', { name: '', address: 'a@example.com' }],
    ['Passwright <a@example.com>', { name: 'Passwright', address: 'a@example.com' }],
    ['"Passwright, Inc." <a@example.com>', { name: 'Passwright, Inc.', address: 'a@example.com' }],
    ['<a@example.com>', { name: '', address: 'a@example.com' }],
  ])('senderOf reads %s', (text, sender) => {
    expect(senderOf(text)).toEqual(sender);
  });

  it.each([
    '',
    'a',
    'a@example.com, b@example.com',
    'A\nBcc: b@example.com <a@example.com>',
    'A <a@example.com> b',
    '<<a@example.com>>',
  ])('senderOf rejects %j', (text) => {
    expect(senderOf(text)).toBeNull();
  });
});
