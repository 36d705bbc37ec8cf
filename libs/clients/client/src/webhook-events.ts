/** The state of a pass after an event. Unset properties are omitted. */
export interface PassEventData {
  templateId: string;
  passId: string;
  /** True if the pass was voided or its template is archived. */
  voided: boolean;
  redeemedAt?: string;
  expiry?: string;
  updatedAt: string;
}
interface InstallationEventData {
  templateId: string;
  passId: string;
  wallet: 'walletA' | 'walletB';
  /** The number of installations of the pass in this wallet now. 1000 means at least 1000. */
  installations: number;
}
interface TemplateEventData {
  templateId: string;
  archived: boolean;
  updatedAt: string;
}
/** The state of a member after an event. */
export interface MemberEventData {
  memberId: number;
  templateId: string;
  passId: string;
  status: 'pending' | 'active' | 'suspended' | 'expired' | 'cancelled';
  expiry?: string;
}
/** The state of a message to holders after an event. */
export interface MessageEventData {
  messageId: string;
  templateId: string;
  /** Set for a message to one pass. */
  passId?: string;
  topic?: string;
  status: string;
  sendAt: string;
  /** The number of passes that have the message. */
  sent: number;
  /** The number of passes with the message in Apple Wallet. */
  walletA: number;
  /** The number of passes with the message in Google Wallet. */
  walletB: number;
}
interface CertificateEventData {
  wallet: string;
  fingerprint: string;
  passTypeIdentifier: string;
  expiresAt: string;
}

/** The data of each type of event, as docs/webhooks.md lists it. */
export interface WebhookEventData {
  'pass.created': PassEventData;
  'pass.changed': PassEventData & { changed: string[] };
  'pass.voided': PassEventData;
  'pass.unvoided': PassEventData;
  'pass.redeemed': PassEventData;
  'pass.expired': PassEventData;
  'pass.deleted': { templateId: string; passId: string };
  'pass.installed': InstallationEventData;
  'pass.removed': InstallationEventData;
  'template.changed': TemplateEventData;
  'template.archived': TemplateEventData;
  'template.unarchived': TemplateEventData;
  'member.created': MemberEventData;
  'member.changed': MemberEventData & { changed: string[] };
  'member.activated': MemberEventData;
  'member.suspended': MemberEventData;
  'member.expired': MemberEventData;
  'member.renewed': MemberEventData;
  'member.cancelled': MemberEventData;
  'member.deleted': { memberId: number; templateId: string; passId: string };
  'message.created': MessageEventData;
  'message.started': MessageEventData;
  'message.sent': MessageEventData;
  'message.paused': MessageEventData;
  'message.resumed': MessageEventData;
  'message.cancelled': MessageEventData;
  'message.superseded': MessageEventData;
  'certificate.expiring': CertificateEventData;
  'certificate.expired': CertificateEventData;
  'webhook.test': { webhookId: string };
}

/**
 * An event of a webhook; `type` determines its data. A newer service may send other types, so a `switch` needs a
 * default.
 */
export type WebhookEvent = {
  [Type in keyof WebhookEventData]: {
    /** The id of the event. It is the same in every delivery of the event. */
    id: string;
    type: Type;
    /** The time of the event. */
    timestamp: string;
    data: WebhookEventData[Type];
  };
}[keyof WebhookEventData];
