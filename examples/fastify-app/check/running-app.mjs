// Starts a program of the app and sends requests to it. The checks compare the responses byte for byte.
import { spawn } from 'node:child_process';
import { request as send } from 'node:http';
import { createServer } from 'node:net';

/**
 * Starts a program and waits until it listens.
 * @param {string} program
 * @param {Record<string, string>} environment
 */
export async function startApp(program, environment) {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    await Promise.race([ended, late(15)]).catch(() => child.kill('SIGKILL'));
  };
  const failed = ended.then((code) => Promise.reject(new Error(`${program} ended with ${code}`)));
  try {
    await Promise.race([failed, listening(child.stdout), late(60)]);
  } catch (error) {
    await stop();
    throw error;
  }
  failed.catch(() => undefined);
  return { stop };
}

/**
 * Sends requests one after the other.
 * @returns the exact bytes of the responses, without the header `Date`
 */
export async function responsesOf(port, requests) {
  const responses = [];
  for (const each of requests) responses.push(await responseTo(port, each));
  return responses;
}

function responseTo(port, { method, path, headers, body = '' }) {
  return new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const options = { host: '127.0.0.1', port, method, path, headers: { ...headers, ...length }, agent: false };
    const request = send(options, async (response) => {
      try {
        const chunks = await response.toArray();
        request.destroy();
        resolve({
          status: response.statusCode,
          headers: withoutDate(response.rawHeaders),
          body: Buffer.concat(chunks).toString('latin1'),
        });
      } catch (error) {
        reject(error);
      }
    });
    request.on('error', reject);
    // Send only the headers if a length is declared, because the server rejects this length and closes the connection.
    if (headers?.['Content-Length']) request.flushHeaders();
    else request.end(body);
  });
}

function withoutDate(rawHeaders) {
  const lines = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []));
  return lines.filter((line) => !line.startsWith('Date: '));
}

/** Waits until the app listens. Prints its other output. */
function listening(stream) {
  return new Promise((resolve) =>
    stream.setEncoding('utf8').on('data', (text) => (text.includes('listening on') ? resolve() : console.log(text))),
  );
}

function late(seconds) {
  return new Promise((_, reject) =>
    setTimeout(() => reject(new Error(`not within ${seconds} s`)), seconds * 1000).unref(),
  );
}

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
