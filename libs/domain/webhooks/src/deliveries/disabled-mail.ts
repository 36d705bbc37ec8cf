import { renderEmail } from '@passwright/accounts';
import type { Mail } from '@passwright/core';

/** The content of the mail about a disabled webhook. */
export interface DisabledMailContent {
  readonly webhookId: string;
  readonly name: string | null;
  readonly url: string | null;
  readonly because: string;
  readonly accountName: string;
  /** Public address of the service. */
  readonly baseUrl: string;
}

/** Builds the mail that explains why the service no longer sends to a webhook, and how to enable the webhook again. */
export function disabledMail(content: DisabledMailContent): Pick<Mail, 'subject' | 'text' | 'html'> {
  const { webhookId, name, url, because, accountName, baseUrl } = content;
  const route = `${baseUrl}/v1/webhooks/${webhookId}`;
  return renderEmail({
    subject: `Webhook ${name ?? webhookId} of ${accountName} is disabled`,
    heading: 'A webhook is disabled',
    paragraphs: [
      `Nothing is sent to this webhook of ${accountName} any more. ${because}`,
      'When its receiver works again:',
      {
        steps: [
          `POST ${route}/test shows the response of the receiver.`,
          `PATCH ${route} with {"enabled": true} enables it, and continues the pending deliveries.`,
          `POST ${route}/replay sends the events that were given up, and those since then.`,
        ],
      },
      'If you no longer need it, delete it.',
    ],
    facts: [['Webhook', webhookId], ...(url ? [['Address', url] as const] : [])],
    footnotes: ['You get this mail as an admin of the account.'],
  });
}
