// Asks a node under test about its event loop and its memory.
import { fileURLToPath } from 'node:url';

/** The options with which a node can answer `stall` and `liveHeapMb`. */
export const observed = { execArgv: ['--require', fileURLToPath(new URL('observed.cjs', import.meta.url))] };

/**
 * Returns the longest stall of a node's event loop since the last call, in ms. Also returns how long the thread waited
 * for a core meanwhile, because attackers and Postgres share the cores.
 */
export async function stall(node) {
  const { stallMs, waitedMs } = await ask(node, 'event-loop');
  const text = `longest stall of the event loop ${stallMs.toFixed(0)} ms, of it ${waitedMs.toFixed(0)} ms without a free core`;
  return { stallMs, text };
}

/** Returns the live memory of a node after a garbage collection, in MB. */
export async function liveHeapMb(node) {
  return (await ask(node, 'heap')).heapMb;
}

function ask(node, question) {
  return new Promise((resolve, reject) => {
    const isResponse = (message) => {
      // Ignore other messages. A node sends one when it becomes ready, for example.
      if (message.question !== question) return;
      node.child.off('message', isResponse).off('exit', reject);
      resolve(message);
    };
    node.child.on('message', isResponse).once('exit', reject);
    node.child.send(question);
  });
}
