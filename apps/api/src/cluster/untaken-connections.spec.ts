import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { join } from 'node:path';

const sources = join(__dirname, '../../../../libs/testing/jest/typescript-sources.cjs');
const fixtures = join(__dirname, 'untaken-connections.fixtures.ts');

it('handleUntaken closes a connection that a worker returns because the port is already closed', async () => {
  const node = fork(fixtures, {
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

// Windows has no such limit.
const itWithLimits = process.platform === 'win32' ? it.skip : it;
const titles = [
  ['handleUntaken offers a connection again if a worker had no file handle for it', 'use up handles'],
  ['handleUntaken offers a connection again if it was sent after a server', 'send a server first'],
];
itWithLimits.each(titles)('%s', async (_, message) => {
  const command = 'ulimit -n 128 && exec "$0" "$@"';
  const node = spawn('sh', ['-c', command, process.execPath, '-r', sources, fixtures], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const client = new Socket().on('error', () => undefined);
  try {
    const [port] = (await once(node, 'message')) as [number];
    node.send(message);
    await once(node, 'message');
    const handedOver = once(node, 'message');
    const data = once(client.connect(port, '127.0.0.1'), 'data');
    await handedOver;
    // The worker gets this message after it has failed to receive the connection.
    node.send('free handles');
    expect(String((await data)[0])).toBe('served');
  } finally {
    client.destroy();
    node.kill('SIGKILL');
  }
});
