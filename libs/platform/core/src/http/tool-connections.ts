import type { IncomingMessage } from 'node:http';

const connections = new WeakSet<object>();

/** Marks a connection inside this process, over which an agent's tool calls the API. No client can open one. */
export function asToolConnection<T extends object>(connection: T): T {
  connections.add(connection);
  return connection;
}

/** Returns true for a request that a tool makes. */
export function isFromTool({ socket }: Pick<IncomingMessage, 'socket'>): boolean {
  return connections.has(socket);
}
