import { repeatWhileBusy } from './repeat-while-busy.js';

const busy = { status: 503, headers: { 'retry-after': '0.001' } };

/** Returns a function that returns each of the responses once, and then always the last one. */
function responding<Response>(...responses: Response[]) {
  const send = jest.fn<Promise<Response>, []>();
  for (const response of responses) send.mockResolvedValueOnce(response);
  return send.mockResolvedValue(responses.at(-1) as Response);
}

it('repeatWhileBusy repeats a request until the node is no longer busy', async () => {
  const done = { status: 409, headers: {} };
  const send = responding(busy, busy, done);
  expect(await repeatWhileBusy(send)).toBe(done);
  expect(send).toHaveBeenCalledTimes(3);
});

it('repeatWhileBusy also reads Retry-After from a response of fetch', async () => {
  const send = responding(new Response(null, busy), new Response());
  expect((await repeatWhileBusy(send)).status).toBe(200);
});

it('repeatWhileBusy returns a 503 without Retry-After immediately, and any 503 after twenty attempts', async () => {
  const unavailable = { status: 503, headers: {} };
  expect(await repeatWhileBusy(responding(unavailable, { status: 200, headers: {} }))).toBe(unavailable);
  const send = responding(busy);
  expect(await repeatWhileBusy(send)).toBe(busy);
  expect(send).toHaveBeenCalledTimes(20);
});
