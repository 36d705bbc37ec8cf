import { OneOf, Text } from '@passwright/core';
import { actionTypes, type ActionType, type RenderAction } from '@passwright/wallet-renderers';

/** The common part of the API description of actions. Templates and passes each add a sentence. */
export const actionsDescription =
  'Buttons beside the pass, at most 2, the most important first; an extension of this service. Apple Wallet ' +
  'shows them from iOS 27 on. Google Wallet shows links; the web view and mails show buttons.';

/** A button next to a pass. */
export class Action implements RenderAction {
  @OneOf({
    description: 'The kind of action. It determines the icon and the label of the button.',
    values: actionTypes,
    example: 'shop',
  })
  type!: ActionType;

  @Text({
    description:
      'The address that the button opens: `tel:` and a number (`call`), ' +
      '`https://maps.apple.com/place?place-id=…` (`place`) or any https address.',
    max: 2048,
    example: 'https://example.com/shop',
  })
  url!: string;
}
