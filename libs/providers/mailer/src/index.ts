export { MailNotTaken } from './mail-not-taken.js';
export { MailerModule } from './mailer.module.js';
export { MailerOptions } from './mailer.options.js';
export { OutboxMailer } from './outbox-mailer.js';
export { senderOf, type Sender } from './sender.js';
export { checkSmtpServer, type SmtpProblem, type SmtpOutcome } from './smtp-check.js';
export { SmtpMailer, type SmtpTimeouts } from './smtp-mailer.js';
export { smtpServer, type SmtpServer } from './smtp-server.js';
