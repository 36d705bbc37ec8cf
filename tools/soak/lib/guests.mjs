// Other sessions on the database server of the nodes.
import pg from 'pg';

/** Other database sessions, which take resources away from the nodes. */
export class Guests {
  #clients = [];

  constructor(url) {
    this.url = url;
  }

  async hold(statements = []) {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => undefined);
    await client.connect();
    this.#clients.push(client);
    for (const statement of statements) await client.query(statement);
  }

  async takeAll() {
    const isRoom = () =>
      this.hold().then(
        () => true,
        () => false,
      );
    while (await isRoom());
  }

  leave() {
    return Promise.all(this.#clients.splice(0).map((client) => client.end().catch(() => undefined)));
  }
}
