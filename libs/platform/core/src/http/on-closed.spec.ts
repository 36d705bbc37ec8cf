import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
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
