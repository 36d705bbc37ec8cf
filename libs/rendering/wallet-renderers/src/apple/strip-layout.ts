import type { RenderType } from '../model.js';

/*
 * The layout of the primary field on the strip, the image below the header of the classic styles. Apple publishes only
 * the image sizes; the text sizes were measured on phones.
 * https://developer.apple.com/design/human-interface-guidelines/wallet
 */

/** The sizes of a strip in points. */
export const stripLayout = { width: 375, margin: 15, labelSize: 13, labelRoom: 17 } as const;

/** The height of the strip of each type in points. A generic pass has no strip. */
export const stripHeights = { offer: 144, membership: 144, event: 98, generic: 0 } as const satisfies Record<
  RenderType,
  number
>;

/** The sizes of the primary value. It is as large as the space allows, but not smaller than `least`. */
export interface PrimarySizes {
  readonly most: number;
  readonly least: number;
}

/** Returns the sizes of the primary value of a type with or without a strip image. */
export function primarySizes(type: RenderType, hasStrip: boolean): PrimarySizes {
  if (type === 'event') return { most: 34, least: 18 };
  return { most: hasStrip ? 46 : 34, least: 20 };
}

/** Returns the top of the value. Value and label together are centred vertically on the strip. */
export function primaryTop(stripHeight: number, lineOfValue: number, hasLabel: boolean): number {
  return (stripHeight - lineOfValue - (hasLabel ? stripLayout.labelRoom : 0)) / 2;
}
