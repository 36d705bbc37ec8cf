import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { onClosed } from './on-closed.js';

it('onClosed runs several callbacks of one response in order, with a single listener', () => {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const ran: number[] = [];
  for (let number = 0; number < 12; number++) onClosed(response, () => ran.push(number));
  expect(response.listenerCount('close')).toBe(1);
  response.emit('close');
  response.emit('close');
  expect(ran).toEqual(Array.from({ length: 12 }, (_, number) => number));
});

it('onClosed runs a callback at once for a response that has closed', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const requested = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [, response] = await requested;
  const closed = once(response, 'close');
  socket.destroy();
  await closed;
  const work = jest.fn();
  onClosed(response, work);
  expect(work).toHaveBeenCalledTimes(1);
  server.close();
});
