/**
 * Calls every operation of the API document with the real ids of one account's resources. Uses every credential that
 * must not reach these resources.
 *
 * Fails on:
 * - a response that gives access, or shows data that only the account may read
 * - a status other than the documented status
 * - a changed row of the account
 * - a 5xx
 * - an operation that the rightful caller cannot call at the end
 *
 * The last failure means that the ids were not real, or that lib/matrix-cases.mjs lacks a case.
 *
 * With --on=NAME, the node runs on another database engine: see lib/engines.mjs. The test makes no failover.
 *
 *   npm run soak:matrix -- [--on=NAME]
 */
import { ApiDocument } from './lib/api-document.mjs';
import { needOf } from './lib/access-rules.mjs';
import { engineOf, startEngine } from './lib/engines.mjs';
import { ownThings } from './lib/matrix-cases.mjs';
import { bearer, Matrix, phone } from './lib/matrix.mjs';
import { MatrixWorld } from './lib/matrix-world.mjs';
import { soak } from './lib/stage.mjs';

const { name: engineName } = engineOf(process.argv.slice(2));

await soak(async (stage) => {
  const engine = await startEngine(stage, engineName);
  const receiver = await stage.receiver();
  const environment = {
    ...engine.environment,
    DATA_DIR: stage.dataDir,
    WEBHOOK_HOSTS_ALLOWED: receiver.host,
    TRUST_PROXY: '1',
  };
  const [node] = await stage.nodes(1, environment);
  const world = await new MatrixWorld(stage, node, environment).open(receiver);
  world.template = (await world.owner.call('GET', '/v1/templates/card')).body;
  for (const name of ['id', 'accountId', 'archived', 'createdAt', 'updatedAt']) delete world.template[name];
  const document = await ApiDocument.of(node.url);
  const matrix = new Matrix(stage, world, document);
  await matrix.settle(engine);
  for (const [name, actor] of Object.entries(actorsOf(world))) await matrix.tryActor(name, actor, engine);
  await matrix.tryRightful();
  matrix.close();
});

/**
 * Lists the actors and the statuses that they may get. An actor's headers are null if an operation is not for this
 * actor.
 */
function actorsOf({ credentials, lacking, other, owner }) {
  const hasId = ({ path, id }) => path.includes('{') && !ownThings.includes(id);
  const alwaysRejected = (headers) => (operation) => operation.isSecured && { headers, statuses: [401] };
  const stranger = (token, isKey) => (operation) => {
    if (!operation.isSecured || operation.isForPhones) return { headers: bearer(token) };
    const { caller } = needOf(operation);
    const isWrongKind = isKey ? caller === 'user' : caller === 'key';
    return { headers: bearer(token), statuses: isWrongKind ? [403] : hasId(operation) ? [404] : undefined };
  };
  const withScopes = (operation) => operation.isSecured && !operation.isForPhones && needOf(operation);
  return {
    nobody: (operation) => ({ headers: {}, statuses: operation.isSecured ? [401] : undefined }),
    "another account's admin": stranger(other.token, false),
    "another account's key": stranger(other.key.key, true),
    'a key without the scope': (operation) => {
      const need = withScopes(operation);
      if (!need) return null;
      const token = need.caller === 'user' ? owner.key.key : lacking[need.scopes.at(-1)];
      return { headers: bearer(token), statuses: [403] };
    },
    'a key that only reads': (operation) => {
      const isWrite = withScopes(operation)?.scopes?.some((scope) => scope.endsWith(':write'));
      return isWrite ? { headers: bearer(credentials.reader), statuses: [403] } : null;
    },
    'a former admin': (operation) => {
      const isForAdmins = withScopes(operation)?.scopes?.includes('account:write');
      return isForAdmins ? { headers: bearer(credentials.demoted), statuses: [403] } : null;
    },
    'a revoked key': alwaysRejected(bearer(credentials.revoked)),
    'a removed member': alwaysRejected(bearer(credentials.removed)),
    "the holder of another pass's token": alwaysRejected(phone(credentials.strangePass)),
    'an admin of a deleted account': alwaysRejected(bearer(credentials.gone)),
    'a key of a deleted account': alwaysRejected(bearer(credentials.goneKey)),
  };
}
