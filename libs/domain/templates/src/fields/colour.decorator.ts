import { Text } from '@passwright/core';
import { colourPattern } from '@passwright/wallet-renderers';

/** Validates and documents a colour: `#1a2b3c`, `#abc`, `rgb(…)` or `rgba(…)`. The pattern runs in linear time. */
export function Colour(doc: { description: string; example: string; optional?: boolean }): PropertyDecorator {
  return Text({ ...doc, max: 128, pattern: colourPattern, patternHint: 'a colour like #1a2b3c or rgb(26, 43, 60)' });
}
