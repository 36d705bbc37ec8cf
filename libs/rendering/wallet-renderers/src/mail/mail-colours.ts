import { parseColour, type Colour } from '../colour.js';
import { contrastOf } from '../contrast.js';
import type { RenderTemplate } from '../model.js';
import { passColours } from '../web/readable-colours.js';

/** The light and the dark background of a mail. */
export const grounds = { light: '#ffffff', dark: '#1d1f23' } as const;

/** The minimum contrast of visible parts. @see https://www.w3.org/TR/WCAG22/#non-text-contrast */
const leastContrast = 3;

/**
 * The colours of a button as `#rrggbb`. Text and button have a contrast of at least 4.5, button and background one of
 * at least 3.
 */
export interface ButtonColours {
  readonly background: string;
  readonly text: string;
}

/** The colours of a pass in mails about the pass. */
export interface MailColours {
  readonly foreground: string;
  readonly background: string;
  readonly label: string;
  readonly button: Readonly<Record<keyof typeof grounds, ButtonColours>>;
}

/**
 * Returns the pass's own colours for a mail. Swaps the two colours of a button that would be invisible on the mail's
 * background.
 * @throws RangeError for an unreadable colour
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
