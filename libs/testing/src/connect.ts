import { Client } from 'pg';

/**
 * Connects to a database.
 * @returns an open client, which the caller must end
 */
export async function connect(url: string, applicationName: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: applicationName });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
