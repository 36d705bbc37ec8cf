// Runs the commands of a pair's servers in a thread, because starts, stops and promotions block.
import { parentPort } from 'node:worker_threads';
import { DebianPostgres } from '@passwright/testing';

const primary = await DebianPostgres.start();
const servers = [primary, await DebianPostgres.standbyOf(primary)];

parentPort?.on('message', ({ id, at, command, other }) => {
  try {
    servers[at][command](servers[other]);
    parentPort?.postMessage({ id });
  } catch (error) {
    parentPort?.postMessage({ id, error: error.message });
  }
});
parentPort?.postMessage({ servers: servers.map(({ url, port, folder }) => ({ url, port, folder })) });
