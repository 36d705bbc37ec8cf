// Sends requests unchanged: no client corrects their paths, headers and bodies.
import { Agent, request as httpRequest } from 'node:http';

const TIMEOUT_MS = 60_000;

export class Wire {
  constructor(sockets = Infinity) {
    this.agent = new Agent({ keepAlive: true, maxSockets: sockets });
  }

  /**
   * Sends a request.
   * @returns its status, headers and body; the status is 0 if the connection ended without a response
   */
  send(url, { method = 'GET', target, headers = {}, body }) {
    const { hostname, port } = new URL(url);
    return new Promise((resolve) => {
      const ended = (error) => resolve({ status: 0, headers: {}, text: error.code ?? error.message });
      const options = { hostname, port, method, path: target, headers, agent: this.agent, timeout: TIMEOUT_MS };
      let request;
      try {
        request = httpRequest(options);
      } catch (error) {
        return ended(error);
      }
      request.on('response', (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part)).on('error', ended);
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(parts).toString() }),
        );
      });
      request.on('timeout', () => request.destroy(new Error('no response in time'))).on('error', ended);
      request.end(body);
    });
  }

  close() {
    this.agent.destroy();
  }
}

/** Returns the headers and body of a JSON request. */
export function jsonRequest(body, type = 'application/json') {
  if (body === undefined) return {};
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { body: text, headers: { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(text)) } };
}
