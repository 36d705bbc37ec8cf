import type { Colour } from './colour.js';

/**
 * Returns the relative luminance, from 0 for black to 1 for white. @see
 * https://www.w3.org/TR/WCAG22/#dfn-relative-luminance
 */
export function luminance({ r, g, b }: Colour): number {
  const linear = (value: number) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/**
 * Returns the contrast of two opaque colours, from 1 for the same to 21 for black on white. @see
 * https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
 */
export function contrastOf(one: Colour, other: Colour): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}
