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

it('onClosed runs a callback immediately for a response that has closed', async () => {
  const { responses, socket } = await requested(1);
  const [response] = responses;
  const closed = once(response, 'close');
  socket.destroy();
  await closed;
  const work = jest.fn();
  onClosed(response, work);
  expect(work).toHaveBeenCalledTimes(1);
});

it('onClosed runs the callbacks of all pipelined responses once when their connection closes', async () => {
  const { responses, socket } = await requested(12);
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  const last = responses.at(-1) as ServerResponse;
  const work = jest.fn();
  for (const [at, response] of responses.entries()) onClosed(response, () => work(at));
  responses[0].end();
  await once(responses[1], 'socket');
  expect(work.mock.calls).toEqual([[0]]);
  const closed = once(last, 'close');
  socket.destroy();
  await closed;
  const ran = work.mock.calls.flat() as number[];
  expect(ran.sort((one, other) => one - other)).toEqual([...responses.keys()]);
  onClosed(last, () => work('late'));
  expect(work).toHaveBeenLastCalledWith('late');
  expect(work).toHaveBeenCalledTimes(13);
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});

it('onClosed runs the callbacks of a pipelined response when it has been sent', async () => {
  const { responses, socket } = await requested(2);
  const work = jest.fn();
  onClosed(responses[1], work);
  responses[1].end();
  expect(work).not.toHaveBeenCalled();
  responses[0].end();
  await once(responses[1], 'close');
  expect(work).toHaveBeenCalledTimes(1);
  socket.destroy();
});

/** At least two responses, so that a test can read two of them by index. */
type ServerResponses = [ServerResponse, ServerResponse, ...ServerResponse[]];

/**
 * Sends `count` requests in one packet, and waits until the server has received all. @returns the server's response
 * objects
 */
async function requested(count: number): Promise<{ responses: ServerResponses; socket: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const responses: ServerResponse[] = [];
  const begun = new Promise<void>((resolve) => {
    server.on('request', (_: IncomingMessage, response: ServerResponse) => {
      if (responses.push(response) === count) resolve();
    });
  });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count));
  await begun;
  server.close();
  return { responses: responses as ServerResponses, socket };
}
