import { Injectable } from '@nestjs/common';
import { PassDevicesService } from '@passwright/apple-wallet';
import { GoogleProgressService, type GoogleReach } from '@passwright/google-wallet';
import type { Audience, AudiencePass } from '@passwright/passes';
import type { Template } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import type { MessageCounts } from './message.dto.js';
import type { GoogleOutcome, MessageRow, SkipReason } from './message.entity.js';

/** A recipient pass of a message, and the wallets that hold it. */
export interface ChosenPass extends AudiencePass {
  readonly isInApple: boolean;
  readonly isInGoogle: boolean;
  /** How the message reaches the holders at Google; undefined if the pass was never at Google. */
  readonly google: GoogleReach | undefined;
}

/** The passes of a batch that get the message, and one reason for each other pass. */
export interface SortedPasses {
  readonly chosen: readonly ChosenPass[];
  readonly skipped: readonly SkipReason[];
}

/** Decides which passes get a message. */
@Injectable()
export class MessageAudienceService {
  constructor(
    private readonly devices: PassDevicesService,
    private readonly google: GoogleProgressService,
  ) {}

  /**
   * Separates passes that get the message from the other passes, and groups the other passes by reason.
   * @param at the time of the message.
   * @param tx the transaction in which to read
   */
  async sort(
    { accountId, filter }: Pick<MessageRow, 'accountId' | 'filter'>,
    passes: readonly AudiencePass[],
    at: Date,
    tx?: EntityManager,
  ): Promise<SortedPasses> {
    const candidates = passes.filter(({ state, matches }) => matches && filter.states.includes(state));
    const serials = candidates.map(({ serialNumber }) => serialNumber);
    const apple = await this.devices.held(accountId, serials, tx);
    const google = await this.google.reach(accountId, serials, at, tx);
    const held = candidates.map((pass) => ({
      ...pass,
      isInApple: apple.has(pass.serialNumber),
      isInGoogle: google.get(pass.serialNumber)?.isInstalled ?? false,
      google: google.get(pass.serialNumber),
    }));
    const chosen = held.filter((pass) => isIn(pass, filter.wallets));
    const others = passes.filter(({ state, matches }) => !(matches && filter.states.includes(state)));
    return {
      chosen,
      skipped: [
        ...others.map(({ state, matches }): SkipReason => (matches ? state : 'filter')),
        ...Array.from({ length: held.length - chosen.length }, (): SkipReason => 'wallet'),
      ],
    };
  }
}

/** Returns the conditions for passes that get a message. */
export function audienceOf(
  { accountId, templateId, passId, filter }: Pick<MessageRow, 'accountId' | 'templateId' | 'passId' | 'filter'>,
  template: Pick<Template, 'fields' | 'backFields'>,
): Audience {
  const own = [...template.fields, ...template.backFields];
  return {
    accountId,
    templateId,
    passId,
    fields: filter.fields.map(({ key, value }) => ({
      key,
      value,
      inherited: own.find((field) => field.key === key)?.value === value,
    })),
    expiresFrom: filter.expiresFrom === null ? null : new Date(filter.expiresFrom),
    expiresBefore: filter.expiresBefore === null ? null : new Date(filter.expiresBefore),
  };
}

/** Returns the outcome of a message at Google at the time of sending; null for a pass that was never at Google. */
export function outcomeAtFirst({ google }: ChosenPass): GoogleOutcome | null {
  if (!google) return null;
  if (!google.isAtGoogle) return google.isInstalled ? 'not_at_google' : null;
  return google.isFull ? 'queue_full' : 'waiting';
}

/** Forecasts the final outcome of a message at Google; null for a pass that was never at Google. */
export function outcomeAtLast(pass: ChosenPass): GoogleOutcome | null {
  const outcome = outcomeAtFirst(pass);
  if (outcome !== 'waiting') return outcome;
  return pass.google?.mayNotify ? 'notified' : 'daily_limit';
}

/**
 * Adds the passes of a batch to the counts.
 * @param sent the passes that have the message now.
 * @param outcomeOf returns the Google outcome to count for a pass
 */
export function count(
  counts: MessageCounts,
  { skipped }: SortedPasses,
  sent: readonly ChosenPass[],
  passes: number,
  outcomeOf: (pass: ChosenPass) => GoogleOutcome | null,
): void {
  counts.passes += passes;
  counts.sent += sent.length;
  counts.inApple += sent.filter(({ isInApple }) => isInApple).length;
  counts.inGoogle += sent.filter(({ isInGoogle }) => isInGoogle).length;
  counts.neither += sent.filter(({ isInApple, isInGoogle }) => !isInApple && !isInGoogle).length;
  const outcomes = sent.flatMap((pass) => outcomeOf(pass) ?? []);
  for (const outcome of outcomes) {
    counts.googleOutcomes = { ...counts.googleOutcomes, [outcome]: (counts.googleOutcomes[outcome] ?? 0) + 1 };
  }
  for (const reason of skipped) counts.skipped = { ...counts.skipped, [reason]: (counts.skipped[reason] ?? 0) + 1 };
}

function isIn({ isInApple, isInGoogle }: ChosenPass, wallets: MessageRow['filter']['wallets']): boolean {
  if (!wallets) return true;
  return (
    (isInApple && wallets.includes('walletA')) ||
    (isInGoogle && wallets.includes('walletB')) ||
    (!isInApple && !isInGoogle && wallets.includes('none'))
  );
}
