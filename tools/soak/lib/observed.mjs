// What a node under test says of itself.
import { fileURLToPath } from 'node:url';

/** Node options with which `stall` and `liveHeapMb` can ask the node. */
export const observed = { execArgv: ['--require', fileURLToPath(new URL('observed.cjs', import.meta.url))] };

/** The longest stall of a node's event loop since the last question, in ms. */
export async function stall(node) {
  return (await ask(node, 'event-loop')).stallMs;
}

/** The memory of a node that is live after a collection. Unlike what the process occupies, it holds no garbage. */
export async function liveHeapMb(node) {
  return (await ask(node, 'heap')).heapMb;
}

function ask(node, question) {
  return new Promise((resolve, reject) => {
    const isAnswer = (message) => {
      // A node that has become ready says so too.
      if (message.question !== question) return;
      node.child.off('message', isAnswer).off('exit', reject);
      resolve(message);
    };
    node.child.on('message', isAnswer).once('exit', reject);
    node.child.send(question);
  });
}
