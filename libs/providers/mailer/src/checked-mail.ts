import { randomUUID } from 'node:crypto';
import { MailRejected, type Mail } from '@passwright/core';
import type { SendMailOptions } from 'nodemailer';
import { isAddress, nameVia, type Sender } from './sender.js';

const MAX_SUBJECT = 255;
const MAX_ID = 200;
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Converts a mail for nodemailer. Passes addresses as parsed parts, so that nodemailer does not parse them differently.
 * @throws MailRejected if the recipient or the reply address is not exactly one plain address.
 * @throws MailRejected if the subject is not one line or the mail is too large
 */
export function checkedMail(mail: Mail, from: Sender, date: Date): SendMailOptions {
  const { to, fromName = '', replyTo, subject, text, html, id = randomUUID() } = mail;
  if (!isAddress(to)) throw new MailRejected('the recipient is not one plain address');
  if (replyTo !== undefined && !isAddress(replyTo)) {
    throw new MailRejected('the address for answers is not one plain address');
  }
  if (!isLine(subject)) throw new MailRejected(`the subject is not one line of 1 to ${MAX_SUBJECT} characters`);
  if (!isId(id)) throw new MailRejected(`the id is not 1 to ${MAX_ID} visible ASCII characters`);
  if (Buffer.byteLength(text) + Buffer.byteLength(html) > MAX_BODY_BYTES) {
    throw new MailRejected(`its texts are larger than ${MAX_BODY_BYTES} bytes`);
  }
  return {
    from: { ...from, name: nameVia(fromName, from) },
    to: { name: '', address: to },
    ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
    envelope: { from: from.address, to: [to] },
    subject,
    text,
    html,
    date,
    messageId: messageId(id, from.address),
    // Asks mail servers not to send automatic replies: https://www.rfc-editor.org/rfc/rfc3834#section-5
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Returns the same Message-ID for the same id, in characters that every mail server accepts. */
function messageId(id: string, sender: string): string {
  const name = Buffer.from(id).toString('base64url');
  return `<${name}@${sender.slice(sender.indexOf('@') + 1)}>`;
}

function isLine(text: string): boolean {
  return text.length > 0 && text.length <= MAX_SUBJECT && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text);
}

function isId(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text) && text.length <= MAX_ID;
}
