// Two nodes whose clocks differ, but not so much that a node notices it.
import { FakeClock } from './fake-clock.mjs';
import { Ledger } from './ledger.mjs';
import { every } from './overload.mjs';
import { publicUrl, startWatchedService } from './watched-service.mjs';

/** The clocks of the two nodes. A node is ready up to five seconds. */
const SKEWS = ['+4s', '-4s'];
const PHONES = 4;
const CURRENT_SECONDS = 60;
const EVERY_MS = 700;

/**
 * Changes passes alternately on a node that is ahead and on one that is behind, so that times of changes would decrease.
 * Checks that phones get the last change, that each node accepts the credentials of the other, and that both accept their clock.
 */
export async function skewNodes(stage, library, seconds) {
  const clocks = SKEWS.map((skew) => {
    const clock = new FakeClock(stage, library);
    clock.set(skew);
    return clock;
  });
  let turn = 0;
  // The calls alternate between the nodes: one issues the token, and the other one accepts it.
  const { cluster, receiver, phones, nodes, ledger } = await startWatchedService(stage, {
    held: PHONES,
    count: 2,
    environment: { APPLE_PUSH_WINDOW_SECONDS: '1' },
    start: { env: (at) => clocks[at].environment },
    route: (all) => all[turn++ % all.length].url,
  });
  ledger.start(2, 4);
  const signal = AbortSignal.timeout(seconds * 1000);
  const signIns = new Ledger(ledger.urls, publicUrl);
  let signedIn = 0;
  const work = [
    every(EVERY_MS, () => phones.change(ledger), signal),
    every(5 * EVERY_MS, () => signIns.open().then(() => (signedIn += 1)), signal),
  ];
  await Promise.all([...work, ledger.stop()]);
  const took = await phones.checkCurrent(stage, ledger, CURRENT_SECONDS);
  console.log(
    `${SKEWS.join(' and ')}: phones are current after ${took.toFixed(1)} s, the latest change after`,
    `${phones.latest.toFixed(1)} s; ${signedIn} users signed in`,
  );
  const complaints = nodes.flatMap(({ log }) => log.filter((line) => line.includes('The clock of this node')));
  stage.check(complaints.length === 0, `a node rejects its clock: ${complaints[0]}`);
  stage.check(signedIn > 0, 'no user signed in');
  const refused = [ledger, signIns].flatMap(({ responses }) =>
    responses.filter(({ status }) => status >= 400 && status !== 503),
  );
  stage.check(refused.length === 0, `${refused.length} calls were rejected: ${refused.map(({ status }) => status)}`);
  const stored = stage.checkWrites(ledger, (text) => cluster.sql(text));
  await stage.checkEvents(receiver, stored, CURRENT_SECONDS);
}
