/**
 * Replaces pods like a rollout of Kubernetes, with the probes, delays and limits of docker/kubernetes. Clients keep
 * their connections meanwhile. There is no cluster: the pods are processes, and two HAProxy proxies act as the Service
 * and the gateway. The proxies never repeat a request. They learn 1 to 2 seconds late that a pod ends.
 *
 * Fails on:
 * - a request that is rejected, interrupted or answered with a 5xx
 * - a pod that Kubernetes would restart or kill
 * - a write that is lost or duplicated
 *
 *   npm run soak:pod-rollout -- [pods to replace, default 2] [folder of an earlier version, built, for the old pods]
 */
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Ledger } from './lib/ledger.mjs';
import { hasKubectl, podOf, renderManifests } from './lib/manifests.mjs';
import { freePort } from './lib/nodes.mjs';
import { hasHaProxy } from './lib/pair.mjs';
import { PodClients } from './lib/pod-clients.mjs';
import { PodProxies } from './lib/pod-proxies.mjs';
import { Pod } from './lib/pods.mjs';
import { requirePackage, requireServer, skip, soak } from './lib/stage.mjs';

const [, , count = '2', earlier] = process.argv;
const replicas = Number(count);
const earlierMain = earlier && join(resolve(earlier), 'apps/api/dist/main.js');

requireServer();
requirePackage('haproxy', hasHaProxy());
if (!hasKubectl()) skip('Install kubectl, which renders the manifests.');
await soak(async (stage) => {
  const cluster = await stage.cluster();
  const manifest = podOf(renderManifests(), 'passwright-api');
  const ports = await Promise.all(Array.from({ length: 2 * replicas }, () => freePort()));
  const proxies = await PodProxies.start(stage, ports);
  const environment = machineVariables(stage, cluster, proxies.urls[1]);
  const pods = ports.map((port, at) => new Pod(manifest, port, environment, at < replicas ? earlierMain : undefined));
  stage.adopt(pods.map(({ node }) => node));
  const ledger = new Ledger(proxies.urls, environment.BASE_URL);
  await Promise.all(pods.slice(0, replicas).map((pod) => add(pod, proxies)));
  await ledger.open();
  const clients = new PodClients(proxies.urls, ledger);
  await clients.start();
  const ends = [];
  for (let at = 0; at < replicas; at += 1) {
    // Start the next pod before the oldest one ends (maxSurge 1, maxUnavailable 0).
    await add(pods[replicas + at], proxies);
    ends.push(end(pods[at], proxies));
  }
  const seconds = await Promise.all(ends);
  await clients.stop();
  console.log(
    `${replicas} pods replaced; the old ones took ${seconds.map((each) => each.toFixed(1)).join(' and ')} s to end`,
  );
  for (const pod of pods) for (const failure of pod.failures) stage.failures.add(`${pod.node.url} ${failure}`);
  clients.report(stage);
  stage.checkWrites(ledger, (text) => cluster.sql(text));
});

async function add(pod, proxies) {
  await pod.start();
  await proxies.add(pod);
}

/** Ends a pod. The proxies learn this later than the pod itself. */
async function end(pod, proxies) {
  const ended = pod.delete();
  await pause(1000 + Math.random() * 1000);
  await proxies.remove(pod);
  return ended;
}

/** Returns the variables that differ from those in a cluster: addresses, secrets, and a folder instead of a bucket. */
function machineVariables(stage, cluster, url) {
  const secret = randomBytes(32).toString('base64');
  return {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    BASE_URL: url,
    DATA_DIR: stage.dataDir,
    DATABASE_URL: cluster.url,
    REGISTRATION: 'open',
    ACCESS_TOKEN_SECRET: secret,
    PASS_TOKEN_SECRET: secret,
    MASTER_KEYS: `1:${secret}`,
    S3_BUCKET: '',
    S3_REGION: '',
  };
}
