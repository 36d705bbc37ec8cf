import { OneOf, Text } from '@passwright/core';
import { actionTypes, type ActionType, type RenderAction } from '@passwright/wallet-renderers';

/** The common part of the API description of actions. Templates and passes each add a sentence. */
export const actionsDescription =
  'Buttons beside the pass, at most 2, the most important first; an addition of this service to the specification. ' +
  'Apple Wallet shows them from iOS 27 on, Google Wallet as links, web view and mails as buttons.';

/** A button next to a pass. */
export class Action implements RenderAction {
  @OneOf({
    description: 'Chooses the icon and words of the button, which are in the holder’s language.',
    values: actionTypes,
    example: 'shop',
  })
  type!: ActionType;

  @Text({
    description:
      'Opens `tel:` and a number (`call`), `https://maps.apple.com/place?place-id=…` (`place`) or an https address.',
    max: 2048,
    example: 'https://example.com/shop',
  })
  url!: string;
}
