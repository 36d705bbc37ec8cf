/** Red, green and blue as integers from 0 to 255, and alpha from 0 (transparent) to 1. */
export interface Colour {
  readonly r: number;
  readonly g: number;
  readonly b: number;
  readonly alpha: number;
}

const maxLength = 128;
const space = ' {0,4}';
const component = String.raw`${space}(\d{1,3}(?:\.\d{1,20})?%?)${space}`;
const alpha = String.raw`${space}([01]?\.\d{1,20}|[01]|\d{1,3}%)${space}`;

/**
 * Matches the colours that the API accepts: `#` with 3 or 6 hexadecimal digits, or `rgb(…)` / `rgba(…)` with three
 * comma-separated numbers or percentages and an optional alpha. Matching takes linear time.
 */
export const colourPattern = new RegExp(
  `^(?:#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})|[rR][gG][bB][aA]?\\(${component},${component},${component}(?:,${alpha})?\\))$`,
);

const white: Colour = { r: 255, g: 255, b: 255, alpha: 1 };

/**
 * Parses a colour in the form of `colourPattern`. Returns null for any other text and for more than 128 characters.
 * Clamps numbers above 255 and percentages above 100 as CSS does.
 */
export function parseColour(text: string): Colour | null {
  if (text.length > maxLength) return null;
  const match = colourPattern.exec(text);
  if (!match) return null;
  const [, hex, red = '', green = '', blue = '', opacity = '1'] = match;
  if (hex !== undefined) return fromHex(hex);
  return { r: channel(red), g: channel(green), b: channel(blue), alpha: Math.min(1, fraction(opacity)) };
}

/** Returns true for a text that `parseColour` reads. Use it to check every colour that enters the service. */
export function isColour(text: string): boolean {
  return parseColour(text) !== null;
}

/**
 * Returns the colour for Apple Wallet: `rgb(12, 34, 56)`. Blends a transparent colour with `background` (default
 * white), because some devices do not support transparency. Expands `#abc`, which iOS would misread.
 * @see https://developer.apple.com/documentation/walletpasses/pass
 * @throws RangeError for an invalid colour
 */
export function appleColour(text: string, background?: string): string {
  const { r, g, b } = opaque(text, background);
  return `rgb(${r}, ${g}, ${b})`;
}

/**
 * Returns the colour for Google Wallet as `#rrggbb`, with transparency blended as in `appleColour`.
 * @throws RangeError for an invalid colour
 */
export function hexColour(text: string, background?: string): string {
  return toHex(opaque(text, background));
}

/** Returns `#rrggbb`, without the alpha. */
export function toHex({ r, g, b }: Colour): string {
  return `#${[r, g, b].map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * Returns the colour for a style sheet, with its alpha. Builds it from numbers, so that `text` itself never reaches the
 * sheet.
 * @throws RangeError for an invalid colour
 */
export function cssColour(text: string): string {
  const { r, g, b, alpha } = getColour(text);
  return alpha === 1 ? `rgb(${r}, ${g}, ${b})` : `rgba(${r}, ${g}, ${b}, ${Number(alpha.toFixed(4))})`;
}

/** Returns the colour as the wallets show it, blended as in `appleColour`. @throws RangeError for an invalid colour */
export function opaque(text: string, background?: string): Colour {
  return over(getColour(text), background === undefined ? white : over(getColour(background), white));
}

/** Works like `opaque`, but returns null for an invalid colour. */
export function opaqueColour(text: string, background?: string): Colour | null {
  const isReadable = isColour(text) && (background === undefined || isColour(background));
  return isReadable ? opaque(text, background) : null;
}

function over(top: Colour, bottom: Colour): Colour {
  const mix = (above: number, below: number) => Math.round(above * top.alpha + below * (1 - top.alpha));
  return { r: mix(top.r, bottom.r), g: mix(top.g, bottom.g), b: mix(top.b, bottom.b), alpha: 1 };
}

function getColour(text: string): Colour {
  const colour = parseColour(text);
  if (!colour)
    throw new RangeError(`"${text.slice(0, 40)}" is not a colour; write it like #1a2b3c or rgb(26, 43, 60).`);
  return colour;
}

function fromHex(digits: string): Colour {
  const full = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  const value = Number.parseInt(full, 16);
  return { r: value >> 16, g: (value >> 8) & 255, b: value & 255, alpha: 1 };
}

function channel(text: string): number {
  return Math.min(255, Math.round(text.endsWith('%') ? fraction(text) * 255 : Number(text)));
}

function fraction(text: string): number {
  return text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
}
