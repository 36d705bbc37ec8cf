import { randomBytes } from 'node:crypto';
import { fsync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Logger } from '@nestjs/common';
import { Mailer, type Clock, type Mail } from '@passwright/core';
import { createTransport } from 'nodemailer';
import { checkedMail } from './checked-mail.js';
import type { Sender } from './sender.js';

const MAX_SLUG = 60;
/** Flushes a file to disk. Yarn's Plug'n'Play has no `FileHandle.sync`. */
const flush = promisify(fsync);

/** Writes mails as `.eml` files into a folder instead of sending them. Mail programs can open these files. */
export class OutboxMailer extends Mailer {
  private readonly logger = new Logger('Mailer');
  private readonly dir: string;
  private readonly transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });

  /**
   * @param dir created if missing, and then readable only by its owner
   * @param tells logs subjects and links. Use it only if the log is private, because a link may sign its reader in
   */
  constructor(
    dir: string,
    private readonly from: Sender,
    private readonly clock: Clock,
    private readonly tells = false,
  ) {
    super();
    this.dir = resolve(dir);
  }

  /**
   * Writes a mail as a file. The file is complete or absent: its name ends in `.eml` only when it is complete. Names
   * sort by time. @throws MailRejected in the same cases as `SmtpMailer`
   */
  async send(mail: Mail): Promise<void> {
    const now = this.clock.now();
    const { message } = await this.transport.sendMail(checkedMail(mail, this.from, now));
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    const name = `${now.toISOString().replace(/[:.]/g, '-')}-${slugOf(mail.subject)}-${randomBytes(3).toString('hex')}.eml`;
    const path = join(this.dir, name);
    const unfinished = join(this.dir, `.${name}.unfinished`);
    try {
      await writeDurably(unfinished, message as Buffer);
      await rename(unfinished, path);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    const about = this.tells ? `: ${[mail.subject, ...linksOf(mail.text)].join('\n  ')}` : '';
    this.logger.log(`An e-mail was not sent but written to ${path}${about}`);
  }
}

/** Returns the words of a subject for the file name, without addresses because the name is logged. */
function slugOf(subject: string): string {
  const words =
    subject
      .replace(/(?<![^\s@])[^\s@]+@\S+/g, ' ')
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, MAX_SLUG).replace(/-$/, '') || 'mail';
}

/** Returns the links that have a line of their own. */
function linksOf(text: string): string[] {
  return text.match(/^https?:\/\/\S+$/gm) ?? [];
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await flush(file.fd);
  } finally {
    await file.close();
  }
}
