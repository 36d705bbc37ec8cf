/**
 * A simple hand-written server for comparison: an Express route that builds packages with passkit-generator. It has the
 * template and the certificates in memory.
 */
import { readFileSync } from 'node:fs';
import express from 'express';
import { PKPass } from 'passkit-generator';

const { files, certificates } = JSON.parse(readFileSync(process.env.TEMPLATE, 'utf8'));
const buffers = Object.fromEntries(
  Object.entries(files).map(([name, base64]) => [name, Buffer.from(base64, 'base64')]),
);
const template = new PKPass(buffers, certificates);

const app = express();
app.get('/pass', async (_request, response) => {
  const pass = await PKPass.from(template, { serialNumber: crypto.randomUUID() });
  response.type('application/vnd.apple.pkpass').send(pass.getAsBuffer());
});
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send(`http://127.0.0.1:${port}/pass`);
});
process.once('SIGTERM', () => process.exit());
