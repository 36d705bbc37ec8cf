// The service as most soak tests need it: nodes on Debian's Postgres, and all that shows whether they lose something.
import { Ledger } from './ledger.mjs';
import { Phones } from './phones.mjs';

/** The address of all servers of a test. */
const ADDRESS = '127.0.0.1';
/** BASE_URL of the nodes. Phones find their node by other means. */
export const publicUrl = 'https://passes.example.com';

/**
 * Starts nodes with a ledger that writes, virtual iPhones with passes, and a webhook for new passes.
 * @param {import('./stage.mjs').Stage} stage stops everything at the end of the test
 * @param {object} options
 * @param {number} options.held the number of passes on phones
 * @param {number} [options.count] the number of nodes
 * @param {object} [options.cluster] a running Postgres; default: a new one
 * @param {object} [options.environment] further variables of the nodes
 * @param {string} [options.receiverHost] the host by which nodes call the receiver of the webhook
 * @param {object} [options.start] options of `stage.nodes`
 * @param {(nodes: { url: string }[]) => string} [options.route] returns the address that phones use now
 */
export async function startWatchedService(stage, options) {
  const { held, count = 1, environment, receiverHost = ADDRESS, start, route = first } = options;
  const cluster = options.cluster ?? (await stage.cluster());
  const [receiver, phones] = [await stage.receiver(), await Phones.start(stage)];
  const variables = {
    ...phones.environment,
    BASE_URL: publicUrl,
    DATABASE_URL: cluster.url,
    WEBHOOK_HOSTS_ALLOWED: receiver.host.replace(ADDRESS, receiverHost),
    ...environment,
  };
  const nodes = await stage.nodes(count, variables, start);
  const ledger = new Ledger(
    nodes.map(({ url }) => url),
    publicUrl,
  );
  await ledger.open();
  await phones.install(ledger, held, () => route(nodes));
  const url = receiver.url.replace(ADDRESS, receiverHost);
  const { body: webhook } = await ledger.once('POST', '/v1/webhooks', { url, types: ['pass.created'] });
  return { cluster, receiver, phones, nodes, node: nodes[0], ledger, webhook };
}

function first(nodes) {
  return nodes[0].url;
}
