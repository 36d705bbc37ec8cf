/** The colours of a template. */
export interface Colours {
  readonly backgroundColor: string;
  readonly foregroundColor: string;
  readonly labelColor: string;
}

type Rgb = readonly [red: number, green: number, blue: number];

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** The minimum contrast of small text (Web Content Accessibility Guidelines). */
const LEAST_CONTRAST = 4.5;

/**
 * Chooses colours for a picture: its most frequent colour as the background, white or black for texts, and its next
 * readable colour for labels.
 * @param pixels red, green, blue and opacity of each pixel, from 0 to 255
 */
export function coloursOf(pixels: ArrayLike<number>): Colours {
  const [background = WHITE, ...others] = frequentColours(pixels);
  const text = contrast(WHITE, background) >= contrast(BLACK, background) ? WHITE : BLACK;
  const label = others.find((each) => contrast(each, background) >= LEAST_CONTRAST) ?? text;
  return { backgroundColor: hex(background), foregroundColor: hex(text), labelColor: hex(label) };
}

/** Groups similar colours, and returns the average of each group, the largest group first. */
function frequentColours(pixels: ArrayLike<number>): Rgb[] {
  const groups = new Map<number, { count: number; sum: [number, number, number] }>();
  for (let at = 0; at + 3 < pixels.length; at += 4) {
    const [red = 0, green = 0, blue = 0, opacity = 0] = [pixels[at], pixels[at + 1], pixels[at + 2], pixels[at + 3]];
    if (opacity < 128) continue;
    const key = ((red >> 5) << 6) | ((green >> 5) << 3) | (blue >> 5);
    const group = groups.get(key) ?? { count: 0, sum: [0, 0, 0] };
    group.count += 1;
    group.sum = [group.sum[0] + red, group.sum[1] + green, group.sum[2] + blue];
    groups.set(key, group);
  }
  const largestFirst = [...groups.values()].sort((one, other) => other.count - one.count);
  return largestFirst.map(({ count, sum: [red, green, blue] }) => [red / count, green / count, blue / count]);
}

/** Returns the contrast ratio of the Web Content Accessibility Guidelines, from 1 to 21. */
function contrast(one: Rgb, other: Rgb): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return ((lighter ?? 0) + 0.05) / ((darker ?? 0) + 0.05);
}

function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const hex = (colour: Rgb) => `#${colour.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;
