import { Text } from '@passwright/core';
import { colourPattern } from '@passwright/wallet-renderers';

/** A request property that is a colour, `#1a2b3c`, `#abc`, `rgb(…)` or `rgba(…)`; the pattern runs in linear time. */
export function Colour(doc: { description: string; example: string; optional?: boolean }): PropertyDecorator {
  return Text({ ...doc, max: 128, pattern: colourPattern, patternHint: 'a colour like #1a2b3c or rgb(26, 43, 60)' });
}
