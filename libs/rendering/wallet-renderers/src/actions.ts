import type { ActionType, RenderAction } from './model.js';
import { parsedUrl } from './parsed-url.js';

/**
 * The types of actions.
 * @see https://developer.apple.com/documentation/walletpasses/defining-the-metadata-of-your-wallet-pass
 */
export const actionTypes = [
  'viewSchedule',
  'watchTrailer',
  'listenToMusic',
  'call',
  'place',
  'addToBalance',
  'order',
  'shop',
  'membershipBenefits',
  'bookAppointment',
  'bookCar',
  'bookFlight',
  'bookStay',
  'viewOffersRewards',
] as const satisfies readonly ActionType[];

/** The maximum number of actions that Apple Wallet shows. */
export const maxActions = 2;

/** The actions of a template or pass. */
export interface WithActions {
  readonly actions?: readonly RenderAction[] | null;
}

/**
 * Returns the actions that a pass shows: its own list, even an empty one, or the template's. Normalises addresses.
 * Leaves out actions with a forbidden address.
 */
export function mergedActions(template: WithActions, pass: WithActions): readonly RenderAction[] {
  return (pass.actions ?? template.actions ?? [])
    .flatMap(({ type, url }) => {
      const address = actionAddress({ type, url });
      return address === null ? [] : [{ type, url: address }];
    })
    .slice(0, maxActions);
}

/**
 * Returns the normalised address of an action; null for a forbidden address. A call needs a telephone number, which
 * becomes `tel:` with digits and `+`. Every other action needs an https address without user name and password. A
 * `place` needs the address of a place in Apple Maps.
 */
export function actionAddress({ type, url }: RenderAction): string | null {
  if (type === 'call') {
    // Apple's documentation writes `tel://`.
    const number = /^tel:(?:\/\/)?(\+?[\d ().-]+)$/i.exec(url.trim())?.[1]?.replace(/[^\d+]/g, '') ?? '';
    return /\d/.test(number) ? `tel:${number}` : null;
  }
  const text = url.trim();
  const address = /^https:\/\/\S+$/i.test(text) ? parsedUrl(text) : null;
  if (!address || hasUser(address)) return null;
  return type === 'place' && applePlace(text) === null ? null : address.href;
}

/**
 * Returns the identifier of the place in an Apple Maps address; null for any other address. Apple Wallet opens the
 * place by its identifier, other devices open the address.
 * @see https://developer.apple.com/documentation/mapkit/unified-map-urls
 */
export function applePlace(url: string): string | null {
  const { hostname, pathname, searchParams } = new URL(url);
  const id = searchParams.get('place-id') ?? '';
  return hostname === 'maps.apple.com' && pathname === '/place' && /^I[0-9A-F]{1,32}$/i.test(id) ? id : null;
}

/** Returns the reason why `actionAddress` rejects an address, worded as the end of a sentence. */
export function addressFault({ type, url }: RenderAction): string {
  if (type === 'call') return 'is not a telephone number';
  const address = parsedUrl(url);
  if (address && hasUser(address)) return 'has a user name or password';
  return type === 'place' ? 'is not the address of a place in Apple Maps' : 'is not an https address';
}

function hasUser({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}
