import { Module } from '@nestjs/common';
import { Clock, Mailer, rootModule } from '@passwright/core';
import { MailerOptions } from './mailer.options.js';
import { OutboxMailer } from './outbox-mailer.js';
import { senderOf } from './sender.js';
import { SmtpMailer } from './smtp-mailer.js';
import { smtpServer } from './smtp-server.js';

/** Provides the `Mailer` that the options select. */
@Module({ providers: [{ provide: Mailer, inject: [MailerOptions, Clock], useFactory: mailer }], exports: [Mailer] })
export class MailerModule extends rootModule(MailerOptions) {}

function mailer({ from, transport }: MailerOptions, clock: Clock): Mailer {
  const sender = senderOf(from);
  if (!sender) throw new Error('MailerOptions.from is neither an address nor `Name <address>`');
  if (transport.kind === 'outbox') return new OutboxMailer(transport.dir, sender, clock, transport.tells);
  const server = smtpServer(transport.url);
  if (!server) throw new Error('MailerOptions.transport.url is neither an smtp:// nor an smtps:// address');
  return new SmtpMailer(server, sender, clock);
}
