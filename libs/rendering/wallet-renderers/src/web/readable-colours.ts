import { type Colour, opaque, toHex } from '../colour.js';
import { contrastOf, luminance } from '../contrast.js';
import type { RenderTemplate } from '../model.js';

/** The colours of a pass on its page. */
export interface PassColours {
  /** A colour as `#rrggbb`. The other colours have this form too. */
  readonly foreground: string;
  readonly background: string;
  readonly label: string;
  /** The opacity of a picture behind the texts, 0 to 0.4. */
  readonly picture: number;
}

/** The minimum contrast of text of usual size. @see https://www.w3.org/TR/WCAG22/#contrast-minimum */
const leastContrast = 4.5;

const black: Colour = { r: 0, g: 0, b: 0, alpha: 1 };
const white: Colour = { r: 255, g: 255, b: 255, alpha: 1 };

/**
 * Returns a template's colours, made readable. Replaces a text colour whose contrast is below 4.5 with black or white,
 * whichever is readable and closer to the original. Limits the opacity of a picture behind the texts, so that they are
 * readable everywhere on it.
 * @throws RangeError for an unreadable colour
 */
export function passColours(
  template: Pick<RenderTemplate, 'foregroundColor' | 'backgroundColor' | 'labelColor'>,
): PassColours {
  const background = opaque(template.backgroundColor);
  const readable = (text: string) => readableOn(background, opaque(text, template.backgroundColor));
  const foreground = readable(template.foregroundColor);
  const label = readable(template.labelColor ?? template.foregroundColor);
  const picture = [0.4, 0.3, 0.2, 0.12, 0.06].find((share) =>
    [black, white].every((spot) =>
      [foreground, label].every((text) => contrastOf(text, mixed(spot, background, share)) >= leastContrast),
    ),
  );
  return {
    foreground: toHex(foreground),
    background: toHex(background),
    label: toHex(label),
    picture: picture ?? 0,
  };
}

function readableOn(background: Colour, wanted: Colour): Colour {
  if (contrastOf(wanted, background) >= leastContrast) return wanted;
  const choices = [black, white].filter((colour) => contrastOf(colour, background) >= leastContrast);
  const [first = black, second = first] = choices;
  return distance(first, wanted) <= distance(second, wanted) ? first : second;
}

function distance(one: Colour, other: Colour): number {
  return Math.abs(luminance(one) - luminance(other));
}

function mixed(top: Colour, bottom: Colour, share: number): Colour {
  const mix = (above: number, below: number) => above * share + below * (1 - share);
  return { r: mix(top.r, bottom.r), g: mix(top.g, bottom.g), b: mix(top.b, bottom.b), alpha: 1 };
}
