import type { AuditActorResponse, AuditEventResponse, AuditTargetResponse } from '@passwright/client';
import { addressOf } from './screen-address.js';
import { localDay } from './dates.js';

/** The filters of the audit trail. An empty text does not filter. */
export interface AuditFilter {
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  /** A time in the form of the API. */
  readonly since: string;
  readonly until: string;
}

/** The kinds of targets, with their names and the screens that show them. */
const kinds: Readonly<Record<string, readonly [name: string, screen: string | null]>> = {
  template: ['Templates', 'templates'],
  pass: ['Passes', 'passes'],
  message: ['Messages', 'messages'],
  member: ['Members', null],
  members: ['Imports of members', null],
  user: ['People', null],
  invite: ['Invitations', null],
  session: ['Sessions', null],
  key: ['API keys', null],
  plan: ['Agent plans', null],
  webhook: ['Webhooks', 'webhooks'],
  appleCertificate: ['Apple certificates', null],
  googleServiceAccount: ['Google service accounts', null],
  holder: ['Holders', null],
  membershipSettings: ['Membership settings', null],
  messageSettings: ['Quiet hours', null],
  billing: ['Plan and limits', null],
  account: ['The account', null],
};

/** Returns the kinds of targets to choose from, including the chosen target. */
export function targetOptions(chosen: string): (readonly [string, string])[] {
  const all = Object.entries(kinds).map(([kind, [name]]) => [kind, name] as const);
  const isListed = chosen === '' || kinds[chosen] !== undefined;
  return [['', 'Everything'], ...(isListed ? [] : [[chosen, chosen] as const]), ...all];
}

/** Writes an action as words: `appleCertificate.uploaded` as “Apple certificate uploaded”. */
export function actionInWords(action: string): string {
  const words = action.replaceAll(/[._]/g, ' ').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the name of an actor. */
export function actorInWords({ kind, name }: AuditActorResponse): string {
  if (kind === 'system') return 'The service';
  if (kind === 'apiKey') return name === null ? 'A deleted key' : `Key: ${name}`;
  return name ?? 'A deleted user';
}

/** Returns the address of the screen that shows a target; null if there is none. */
export function targetAddress({ kind, id }: AuditTargetResponse): string | null {
  const screen = kinds[kind]?.[1];
  if (!screen || id === null) return null;
  const at = kind === 'pass' ? id.indexOf(':') : -1;
  return at < 0 ? addressOf(screen, id) : addressOf(screen, id.slice(0, at), id.slice(at + 1));
}

/** Groups events by the reader's day, and keeps their order. */
export function byDay(events: readonly AuditEventResponse[]): [day: string, events: AuditEventResponse[]][] {
  const days = new Map<string, AuditEventResponse[]>();
  for (const event of events) {
    const day = localDay(event.at);
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return [...days];
}
