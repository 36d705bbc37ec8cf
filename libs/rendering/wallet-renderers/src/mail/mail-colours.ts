import { parseColour, type Colour } from '../colour.js';
import { contrastOf } from '../contrast.js';
import type { RenderTemplate } from '../model.js';
import { passColours } from '../web/readable-colours.js';

/** The grounds that a mail lies on, the light and the dark one. */
export const grounds = { light: '#ffffff', dark: '#1d1f23' } as const;

/** For parts that have to be seen as such. @see https://www.w3.org/TR/WCAG22/#non-text-contrast */
const leastContrast = 3;

/** A button: its text has a contrast of 4.5 at least on it, and it has 3 at least on what it lies on. `#rrggbb`. */
export interface ButtonColours {
  readonly background: string;
  readonly text: string;
}

/** The colours of a pass in a mail about it. */
export interface MailColours {
  readonly foreground: string;
  readonly background: string;
  readonly label: string;
  readonly button: Readonly<Record<keyof typeof grounds, ButtonColours>>;
}

/**
 * The pass's own colours; a button that would drown in the ground is turned inside out. Of two colours whose contrast is
 * 4.5 one always stands out from white, and one from the dark ground.
 * @throws RangeError when a colour cannot be read
 */
export function mailColours(template: Pick<RenderTemplate, 'foregroundColor' | 'backgroundColor' | 'labelColor'>) {
  const { foreground, background, label } = passColours(template);
  const buttonOn = (ground: string): ButtonColours =>
    contrastOf(colour(background), colour(ground)) >= leastContrast
      ? { background, text: foreground }
      : { background: foreground, text: background };
  const colours: MailColours = {
    foreground,
    background,
    label,
    button: { light: buttonOn(grounds.light), dark: buttonOn(grounds.dark) },
  };
  return colours;
}

function colour(text: string): Colour {
  const parsed = parseColour(text);
  if (!parsed) throw new RangeError(`"${text}" is not a colour`);
  return parsed;
}
