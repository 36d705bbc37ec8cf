import type { RenderPass, RenderTemplate } from './model.js';

/** Where a pass stands in its life, as a holder would put it. */
export type PassState = 'valid' | 'not_yet_valid' | 'expired' | 'redeemed' | 'voided';

/** True when the pass was voided itself or its template is archived. */
export function isVoided(template: Pick<RenderTemplate, 'archivedAt'>, pass: Pick<RenderPass, 'voidedAt'>): boolean {
  return pass.voidedAt !== null || template.archivedAt !== null;
}

/**
 * The one state to show at `now`. What is final comes first: voided, then redeemed, then expired. A pass is expired
 * from the very instant of `expiresAt`, and valid from that of `validFrom`.
 */
export function passState(template: Pick<RenderTemplate, 'archivedAt'>, pass: RenderPass, now: Date): PassState {
  if (isVoided(template, pass)) return 'voided';
  if (pass.redeemedAt) return 'redeemed';
  if (pass.expiresAt && pass.expiresAt <= now) return 'expired';
  if (pass.validFrom && pass.validFrom > now) return 'not_yet_valid';
  return 'valid';
}
