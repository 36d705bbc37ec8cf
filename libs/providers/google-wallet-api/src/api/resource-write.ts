import type { GoogleResult, GoogleOutcome, GoogleResource } from '@passwright/core';
import type { ApiCall, Reply, WalletApi } from './wallet-api.js';

/**
 * The limit for switching between insert and update. Beyond it, Google's responses about the id contradict each other.
 */
const MAX_TURNS = 3;
const UNCLEAR = 'Google says that it has this id, and that it does not';

/** Inserts or updates a resource, whether or not it exists. Never rejects. */
export async function writeResource(api: WalletApi, resource: GoogleResource, call: ApiCall): Promise<GoogleResult> {
  const { vertical, part } = resource;
  const collection = `/${vertical}${part === 'class' ? 'Class' : 'Object'}`;
  let inserting = !resource.exists;
  for (let turn = 1; ; turn++) {
    const reply = await (inserting
      ? api.send({ method: 'POST', path: collection, body: resource.body }, call)
      : api.send(change(collection, resource), call));
    // If the response to an insert was lost, Google may have stored the object, so update it.
    const mustTurn = inserting ? reply.meaning === 'exists' : reply.meaning === 'missing';
    if (!mustTurn || turn === MAX_TURNS) {
      const result = toResult(reply, inserting, part);
      return result.outcome === 'stored' && resource.message
        ? tell(api, { resource, collection, call, result })
        : result;
    }
    inserting = !inserting;
  }
}

/** A successful write and its response. */
interface Written {
  readonly resource: GoogleResource;
  readonly collection: string;
  readonly call: ApiCall;
  readonly result: GoogleResult;
}

/**
 * Sends the message with a notification, or without if the object has had three in the last 24 hours. Drops a message
 * that Google rejects.
 */
async function tell(api: WalletApi, { resource, collection, call, result }: Written): Promise<GoogleResult> {
  const path = `${collection}/${encodeURIComponent(resource.body.id)}/addMessage`;
  const send = (messageType: 'TEXT_AND_NOTIFY' | 'TEXT') =>
    api.send({ method: 'POST', path, body: { message: { ...resource.message, messageType } } }, call);
  const reply = await send('TEXT_AND_NOTIFY');
  const isSpent = reply.status === 403 && reply.meaning === 'later';
  const reported = toResult(isSpent ? await send('TEXT') : reply, false, resource.part);
  return reported.outcome === 'rejected' || reported.outcome === 'no_class' ? result : reported;
}

function change(collection: string, { body, owned, ownedParts = {}, replace }: GoogleResource) {
  const path = `${collection}/${encodeURIComponent(body.id)}`;
  if (replace) return { method: 'PUT', path, body } as const;
  const values = Object.entries(ownedParts).flatMap(([name, parts]) => {
    const value = body[name];
    return typeof value === 'object' && value !== null ? [[name, { ...nulls(parts), ...value }] as const] : [];
  });
  return { method: 'PATCH', path, body: { ...nulls(owned), ...body, ...Object.fromEntries(values) } } as const;
}

function nulls(names: readonly string[]): Record<string, null> {
  return Object.fromEntries(names.map((name) => [name, null]));
}

function toResult(reply: Reply, inserting: boolean, part: GoogleResource['part']): GoogleResult {
  const { status, retryAfterSeconds, body, meaning } = reply;
  const outcome = outcomeOf(reply, part);
  const unclear = meaning === 'exists' || (meaning === 'missing' && !inserting && part === 'class');
  return {
    outcome,
    status,
    reason: unclear ? `${UNCLEAR}: ${reply.reason}` : reply.reason,
    retryAfterSeconds: outcome === 'retry' ? retryAfterSeconds : null,
    hasUsers: outcome === 'stored' && typeof body.hasUsers === 'boolean' ? body.hasUsers : null,
  };
}

function outcomeOf({ meaning }: Reply, part: GoogleResource['part']): GoogleOutcome {
  switch (meaning) {
    case 'done':
      return 'stored';
    case 'missing':
      // A class has no parent that could be missing, so a 404 means that the address is wrong.
      return part === 'object' ? 'no_class' : 'retry';
    case 'rejected':
    case 'credential_rejected':
      return meaning;
    default:
      return 'retry';
  }
}
