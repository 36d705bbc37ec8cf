/**
 * Runs the main steps of an integration once: an account, a template, passes on a phone and in Google Wallet, changes,
 * members, webhooks, and the account's lists and statistics. Prints the error of each failed step. Fails if a step has
 * failed.
 *
 * With --on=NAME, the node runs on another database engine: see lib/engines.mjs.
 *
 *   npm run soak:main-job -- [--on=NAME]
 */
import { engineOf, startEngine } from './lib/engines.mjs';
import { GoogleHolder } from './lib/google-holder.mjs';
import { Ledger } from './lib/ledger.mjs';
import { steps } from './lib/main-job-steps.mjs';
import { Phones } from './lib/phones.mjs';
import { soak } from './lib/stage.mjs';

const publicUrl = 'https://passes.example.com';
const SHOWN_LINES = 3;

const { name: engineName } = engineOf(process.argv.slice(2));

await soak(async (stage) => {
  const engine = await startEngine(stage, engineName);
  const [phones, receiver] = [await Phones.start(stage), await stage.receiver()];
  const nodes = [];
  const google = await GoogleHolder.start(stage, () => nodes[0].url);
  const environment = {
    ...phones.environment,
    ...google.environment,
    ...engine.environment,
    BASE_URL: publicUrl,
    WEBHOOK_HOSTS_ALLOWED: receiver.host,
  };
  nodes.push(...(await stage.nodes(1, environment, { env: engine.environmentOf })));
  const [node] = nodes;
  const ledger = new Ledger([node.url], publicUrl);
  const job = { node, ledger, phones, google, receiver, sql: engine.sql };

  let passed = 0;
  for (const [name, step] of Object.entries(steps)) {
    const lines = node.log.length;
    const startedAt = performance.now();
    try {
      await step(job);
      passed += 1;
      console.log(`ok     ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
    } catch (error) {
      console.log(`FAILED ${name}: ${error.message}`);
      for (const line of node.log.slice(lines).slice(0, SHOWN_LINES)) console.log(`         ${line.slice(0, 1000)}`);
      stage.failures.add(`${name}: ${error.message}`);
    }
  }
  console.log(`${passed} of ${Object.keys(steps).length} steps passed`);
  stage.checkResponses(ledger.responses, { noneAllowed: false });
});
