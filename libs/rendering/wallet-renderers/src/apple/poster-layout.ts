import type { ApplePosterFields } from './poster-fields.js';

/*
 * The positions of the texts on a poster, measured in Apple's pictures, because Apple publishes only the groups of
 * fields and the size of the artwork. https://developer.apple.com/design/human-interface-guidelines/wallet
 */

/** The sizes of a poster in points. */
export const posterLayout = {
  width: 375,
  artworkHeight: Math.round((375 * 448) / 358),
  margin: 16,
  /** The space for the logo at the top. */
  logo: { width: 126, height: 30 },
  titleSize: 30,
  labelSize: 11,
  valueSize: 18,
  rowHeight: 44,
} as const;

/** The height of a line relative to the size of its text. */
export const textLineHeight = 1.22;

/** The top of each row of texts in points. */
export interface PosterTops {
  readonly header: number;
  readonly title: number;
  readonly fields: number;
  readonly footer: number;
}

/**
 * Returns the top of each row of a poster. The header is at the top of the artwork, and the other rows are at the
 * bottom.
 */
export function posterTops({
  primaryFields,
  footerFields,
}: Pick<ApplePosterFields, 'primaryFields' | 'footerFields'>): PosterTops {
  const { artworkHeight, margin, rowHeight, titleSize } = posterLayout;
  const below = (primaryFields.length > 1 ? rowHeight : 0) + (footerFields.length > 0 ? rowHeight : 0);
  const title = artworkHeight - margin - below - titleSize * textLineHeight;
  const fields = title + titleSize * textLineHeight + 4;
  return { header: margin - 6, title, fields, footer: primaryFields.length > 1 ? fields + rowHeight : fields };
}
