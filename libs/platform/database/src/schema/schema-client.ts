import type { Client, ClientConfig, Notification } from 'pg';
import { serviceClient, type ServiceClientOptions } from '../connections/service-client.js';
import { queueSchemaOf } from '../connections/schema-names.js';

type Names = ReadonlyMap<string, string>;

/** The channels on which graphile-worker notifies its workers, the same in all schemas of a database. */
const CHANNELS = ['jobs:insert', 'worker:migrate'];

/** Returns the channel on which the queue of a schema announces new jobs. */
export function jobsChannelOf(schema: string | null): string {
  return channelOf('jobs:insert', schema);
}

/**
 * Builds the connections of graphile-worker. With a schema, the channels get their own names, so that the queues of
 * several schemas do not affect each other.
 */
export function queueClient(schema: string | null): new (config?: string | ClientConfig) => Client {
  const names = new Map(CHANNELS.map((channel) => [channel, channelOf(channel, schema)]));
  return schema === null ? serviceClient(0) : renaming(names, { schema });
}

/**
 * Builds the connections of migrations. Migrations create functions that name the default queue schema. If the service
 * has a schema, these connections replace that name with its own queue schema.
 */
export function migrationClient(schema: string | null, lockMs: number): new (config?: string | ClientConfig) => Client {
  const names = new Map([[`${queueSchemaOf(null)}.`, `${queueSchemaOf(schema)}.`]]);
  return schema === null ? serviceClient(0, { lockMs }) : renaming(names, { lockMs, schema });
}

function channelOf(channel: string, schema: string | null): string {
  return schema === null ? channel : `${channel}:${schema}`;
}

/** Builds connections that replace names in statements, and restore the original names in notifications. */
function renaming(names: Names, options: ServiceClientOptions): new (config?: string | ClientConfig) => Client {
  const before = new Map([...names].map(([from, to]) => [to, from]));
  return class extends serviceClient(0, options) {
    constructor(config?: string | ClientConfig) {
      super(config);
      const ask = this.query.bind(this) as (...args: unknown[]) => unknown;
      const query = (...[statement, ...rest]: unknown[]) =>
        ask(...[statement, ...rest].map((each) => renamed(each, names)));
      Object.assign(this, { query });
      const connection = (this as unknown as { connection: NodeJS.EventEmitter }).connection;
      // This listener runs before pg's own, which passes on the same message object.
      connection.on('notification', (message: Notification) => {
        message.channel = before.get(message.channel) ?? message.channel;
      });
    }
  };
}

/** Replaces the names in an argument of `query`: a text, an object with a text, or a list of values. */
function renamed(argument: unknown, names: Names): unknown {
  if (typeof argument === 'string') return renamedText(argument, names);
  if (Array.isArray(argument)) return argument.map((value: unknown) => names.get(value as string) ?? value);
  if (typeof argument !== 'object' || argument === null || 'submit' in argument) return argument;
  const { text, values } = argument as { readonly text?: string; readonly values?: readonly unknown[] };
  return {
    ...argument,
    ...(text !== undefined && { text: renamedText(text, names) }),
    ...(values !== undefined && { values: renamed(values, names) }),
  };
}

function renamedText(text: string, names: Names): string {
  let result = text;
  for (const [from, to] of names) if (result.includes(from)) result = result.replaceAll(from, to);
  return result;
}
