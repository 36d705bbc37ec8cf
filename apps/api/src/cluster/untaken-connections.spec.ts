import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { join } from 'node:path';

const sources = join(__dirname, '../../../../libs/testing/jest/typescript-sources.cjs');

it('closeUntaken closes a connection that a worker returns because the port is already closed', async () => {
  const node = fork(join(__dirname, 'untaken-connections.fixtures.ts'), {
    execArgv: ['-r', sources],
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
  });
  const client = new Socket().on('error', () => undefined);
  try {
    const [port] = (await once(node, 'message')) as [number];
    node.send('close');
    await once(node.stdout!, 'data');
    const handedOver = once(node, 'message');
    const closed = once(client.connect(port, '127.0.0.1'), 'close');
    await handedOver;
    node.stdin?.write('\n');
    await closed;
  } finally {
    client.destroy();
    node.kill('SIGKILL');
  }
});
