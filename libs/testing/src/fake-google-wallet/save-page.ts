import type { Callbacks } from './callbacks.js';
import { GoogleRejection, notFound } from './google-rejection.js';
import type { GoogleBody } from './resource-form.js';
import type { ResourceStore } from './resource-store.js';
import { issuerOf, MAX_LINK_LENGTH, type NewResource, type SaveLinks } from './save-links.js';

/** An issuer with its settings at Google. */
export interface GoogleIssuer {
  /** The issuer id: 10 to 20 digits. */
  readonly id: string;
  readonly name?: string;
  /** Puts the issuer into demo mode, in which only these users can save its passes. */
  readonly demoUsers?: readonly string[];
  /** The callback address for classes without an address of their own. */
  readonly callbackUrl?: string;
}

/** The result of opening a save link. */
export interface SaveOutcome {
  /** The status of the page. */
  readonly status: number;
  /** The reason of a failure; null if the passes were saved. */
  readonly reason: string | null;
  readonly message: string;
  /** The ids of the link's objects that the holder has now, including those from earlier links. */
  readonly saved: readonly string[];
  /** The ids of the classes and objects that the link has created. */
  readonly created: readonly string[];
}

/** The parts of the fake that the page uses. */
export interface SavePageParts {
  readonly store: ResourceStore;
  readonly links: SaveLinks;
  readonly callbacks: Callbacks;
  readonly fetchImages: () => boolean;
  /** Returns how many times each callback is delivered. */
  readonly deliveries: () => number;
  readonly issuer: (issuerId: string) => GoogleIssuer | undefined;
}

/** The actions of a holder: opening a save link, and removing a pass from the wallet. */
export class SavePage {
  constructor(private readonly parts: SavePageParts) {}

  /** Opens a save link. Never rejects. @param jwt the last part of the link */
  async open(jwt: string, user: string): Promise<SaveOutcome> {
    try {
      return await this.save(jwt, user);
    } catch (error) {
      if (!(error instanceof GoogleRejection)) throw error;
      const { status, reason, message } = error;
      return { status, reason, message, saved: [], created: [] };
    }
  }

  /**
   * Removes a pass.
   * @throws GoogleRejection 404 if the user does not have it
   */
  remove(objectId: string, user: string): void {
    if (!this.parts.store.holders(objectId).delete(user))
      notFound('resourceNotFound', `${user} does not have "${objectId}".`);
    this.notify(objectId, 'del');
  }

  /** Returns the class of an object, its issuer, and the callback address or null. */
  callbackOf(objectId: string): { classId: string; issuerId: string; url: string | null } {
    const { store, issuer } = this.parts;
    const classId = String(store.all('object').get(objectId)?.['classId']);
    const options = store.all('class').get(classId)?.['callbackOptions'] as { url?: string } | undefined;
    const issuerId = issuerOf(classId);
    return { classId, issuerId, url: options?.url ?? issuer(issuerId)?.callbackUrl ?? null };
  }

  private async save(jwt: string, user: string): Promise<SaveOutcome> {
    const { links, store, fetchImages } = this.parts;
    if (jwt.length > MAX_LINK_LENGTH)
      throw new GoogleRejection(400, 'tooLong', `The JWT has ${jwt.length} characters; browsers may cut it at 1,800.`);
    const link = links.read(jwt);
    const planned = links.plan(link);
    for (const id of link.objectIds) this.checkHolder(id, user, planned);
    const created = await links.create(link, fetchImages());
    for (const id of link.objectIds) {
      if (store.holders(id).has(user)) continue;
      store.holders(id).add(user);
      this.notify(id, 'save');
    }
    return { status: 200, reason: null, message: 'Saved.', saved: link.objectIds, created };
  }

  /**
   * Checks that the user may have the object.
   * @throws GoogleRejection 403
   */
  private checkHolder(objectId: string, user: string, planned: readonly NewResource[]): void {
    const { store, issuer } = this.parts;
    const users = issuer(issuerOf(objectId))?.demoUsers;
    if (users && !users.includes(user))
      throw new GoogleRejection(
        403,
        'userNotAllowed',
        `User not allowed to save the pass: ${user} is no test account.`,
      );
    const others = [...store.holders(objectId)].some((holder) => holder !== user);
    const ofOne = ['ONE_USER_ALL_DEVICES', 'ONE_USER_ONE_DEVICE'];
    const classId = String(find('object', objectId)?.['classId']);
    const status = String(find('class', classId)?.['multipleDevicesAndHoldersAllowedStatus']);
    if (others && ofOne.includes(status))
      throw new GoogleRejection(403, 'alreadyOwned', `"${objectId}" belongs to another user.`);

    function find(part: 'class' | 'object', id: string): GoogleBody | undefined {
      return store.all(part).get(id) ?? planned.find(({ kind, body }) => kind.part === part && body.id === id)?.body;
    }
  }

  private notify(objectId: string, eventType: 'save' | 'del'): void {
    const { callbacks, deliveries } = this.parts;
    const { url, ...ids } = this.callbackOf(objectId);
    if (url) callbacks.track(callbacks.deliver({ url, objectId, eventType, ...ids }, deliveries()));
  }
}

export function savePageHtml({ status, reason, message, saved }: SaveOutcome): string {
  const heading = status === 200 ? 'Added to Google Wallet' : 'Something went wrong';
  const lines = status === 200 ? saved : [`${reason}: ${message}`];
  const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${heading}</title><h1>${heading}</h1>${lines
    .map((line) => `<p>${escaped(line)}</p>`)
    .join('')}</html>`;
}
