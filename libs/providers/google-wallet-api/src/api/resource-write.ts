import type { GoogleResult, GoogleOutcome, GoogleResource } from '@passwright/core';
import { addMessage, type EarlierMessages, earlierMessages } from './message-write.js';
import type { ApiCall, Reply, WalletApi } from './wallet-api.js';

/**
 * The maximum number of requests that alternate between insert and update. After that, Google's responses contradict
 * each other.
 */
const MAX_TURNS = 3;
const UNCLEAR = 'Google says that it has this id, and that it does not';

/**
 * Inserts a missing resource or updates an existing one, and adds its message. Writes nothing if the object already
 * contains messages of an earlier write. Never rejects.
 */
export async function writeResource(api: WalletApi, resource: GoogleResource, call: ApiCall): Promise<GoogleResult> {
  const { vertical, part, message, mayHave = [] } = resource;
  const collection = `/${vertical}${part === 'class' ? 'Class' : 'Object'}`;
  if (!message && mayHave.length === 0) return store(api, resource, { collection, call });
  const path = `${collection}/${encodeURIComponent(resource.body.id)}`;
  const wanted = [...mayHave, ...(message?.mayExist ? [message.id] : [])];
  const { found, failure } = wanted.length > 0 ? await earlierMessages(api, path, wanted, call) : none;
  if (failure) return toResult(failure, false, part);
  if (found.length > 0) return { ...foundOnly, found };
  const stored = await store(api, resource, { collection, call });
  if (stored.outcome !== 'stored') return stored;
  const result = mayHave.length > 0 ? { ...stored, found } : stored;
  if (!message) return result;
  const { outcome, reply } = await addMessage(api, path, message, call);
  if (outcome !== 'unclear') return { ...result, message: outcome };
  // The object exists, so a 404 means that some of Google's servers do not know it yet.
  const failed = reply.meaning === 'missing' ? ({ ...reply, meaning: 'later' } as const) : reply;
  return { ...toResult(failed, false, part), message: outcome };
}

const none: EarlierMessages = { found: [], failure: null };
const foundOnly: GoogleResult = {
  outcome: 'found',
  status: 200,
  reason: null,
  retryAfterSeconds: null,
  hasUsers: null,
};

async function store(
  api: WalletApi,
  resource: GoogleResource,
  { collection, call }: { readonly collection: string; readonly call: ApiCall },
): Promise<GoogleResult> {
  let inserting = !resource.exists;
  for (let turn = 1; ; turn++) {
    const reply = await (inserting
      ? api.send({ method: 'POST', path: collection, body: resource.body }, call)
      : api.send(change(collection, resource), call));
    // If the response to an insert was lost, Google may have stored the object, so update it now.
    const mustTurn = inserting ? reply.meaning === 'exists' : reply.meaning === 'missing';
    if (!mustTurn || turn === MAX_TURNS) return toResult(reply, inserting, resource.part);
    inserting = !inserting;
  }
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
      // A class depends on no other resource, so a 404 means that the address is wrong.
      return part === 'object' ? 'no_class' : 'retry';
    case 'rejected':
    case 'credential_rejected':
      return meaning;
    default:
      return 'retry';
  }
}
