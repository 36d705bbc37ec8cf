import type { RenderPass, RenderTemplate } from './model.js';

/** The state of a pass as its holder sees it. */
export type PassState = 'valid' | 'not_yet_valid' | 'expired' | 'redeemed' | 'voided';

/** Returns true when the pass itself is voided or its template is archived. */
export function isVoided(template: Pick<RenderTemplate, 'archivedAt'>, pass: Pick<RenderPass, 'voidedAt'>): boolean {
  return pass.voidedAt !== null || template.archivedAt !== null;
}

/** The properties of a pass that decide its state. */
type Lifetime = Pick<RenderPass, 'voidedAt' | 'redeemedAt' | 'expiresAt' | 'validFrom'>;

/**
 * Returns the single state to show at `now`. Final states take precedence: voided, then redeemed, then expired. A pass
 * expires exactly at `expiresAt` and becomes valid exactly at `validFrom`.
 */
export function passState(template: Pick<RenderTemplate, 'archivedAt'>, pass: Lifetime, now: Date): PassState {
  if (isVoided(template, pass)) return 'voided';
  if (pass.redeemedAt) return 'redeemed';
  if (pass.expiresAt && pass.expiresAt <= now) return 'expired';
  if (pass.validFrom && pass.validFrom > now) return 'not_yet_valid';
  return 'valid';
}
