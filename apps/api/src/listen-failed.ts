import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AppConfig } from './config/config.js';

type Address = Pick<AppConfig, 'server'>;

/** The service cannot listen on the host and port. The message names the settings to change. */
export class ListenFailed extends Error {
  constructor({ server: { host, port } }: Address, { code = 'unknown' }: NodeJS.ErrnoException) {
    super(
      code === 'EADDRINUSE'
        ? `Port ${port} on ${host} is in use, perhaps by a Passwright that is already running. Choose another: PORT=${port + 1} npm start`
        : `Cannot listen on ${host}:${port} (${code}). Set HOST and PORT to an address of this machine.`,
    );
    this.name = 'ListenFailed';
  }
}

/** Checks that the service can listen. @throws ListenFailed */
export async function requireFreePort(config: Address): Promise<void> {
  const probe = createServer().listen(config.server.port, config.server.host);
  try {
    await once(probe, 'listening');
  } catch (error) {
    throw new ListenFailed(config, error as Error);
  } finally {
    probe.close();
  }
}
