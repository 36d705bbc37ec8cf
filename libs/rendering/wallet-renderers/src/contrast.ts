import type { Colour } from './colour.js';

/**
 * Returns the relative luminance, from 0 for black to 1 for white. @see
 * https://www.w3.org/TR/WCAG22/#dfn-relative-luminance
 */
export function luminance({ r, g, b }: Colour): number {
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/**
 * The linear light of each channel value from 0 to 255, computed once, because measuring an image needs it for
 * thousands of pixels.
 */
const light = Float64Array.from({ length: 256 }, (_, value) => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

function linear(value: number): number {
  return light[Math.round(value)] ?? 1;
}

/**
 * Returns the contrast of two opaque colours, from 1 for equal colours to 21 for black on white. @see
 * https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
 */
export function contrastOf(one: Colour, other: Colour): number {
  return contrastOfLuminances(luminance(one), luminance(other));
}

/** Returns the contrast of two relative luminances, as `contrastOf` does. */
export function contrastOfLuminances(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}
