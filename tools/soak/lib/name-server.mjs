// A name server in a network namespace of its own, which can be slow, silent or wrong.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';

const PORT = 53;
const TYPE_A = 1;
/** The response codes of DNS. */
const codes = { ok: 0, SERVFAIL: 2, NXDOMAIN: 3 };

/** Responds to each query for an A record with 127.0.0.1. */
export class NameServer {
  /** @type {'ok' | 'silent' | 'SERVFAIL' | 'NXDOMAIN'} */
  problem = 'ok';
  lateMs = 0;
  queries = 0;

  /** Starts the server, and makes it the only source of host names for the processes of this mount namespace. */
  static async start(stage) {
    const server = new NameServer();
    const socket = createSocket('udp4');
    socket.bind(PORT, '127.0.0.1');
    await once(socket, 'listening');
    socket.on('message', (query, from) => {
      server.queries += 1;
      if (server.problem === 'silent') return;
      const response = server.#respond(query);
      setTimeout(() => socket.send(response, from.port, from.address), server.lateMs);
    });
    stage.later(() => socket.close());
    const files = {
      'resolv.conf': 'nameserver 127.0.0.1\n',
      'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: dns\n',
    };
    for (const [name, text] of Object.entries(files)) {
      const file = join(stage.dataDir, name);
      writeFileSync(file, text, { mode: 0o644 });
      execFileSync('mount', ['--bind', file, `/etc/${name}`]);
      stage.later(() => execFileSync('umount', ['--lazy', `/etc/${name}`]));
    }
    return server;
  }

  #respond(query) {
    const HEADER = 12;
    let end = HEADER;
    while (query[end] !== 0) end += query[end] + 1;
    const type = query.readUInt16BE(end + 1);
    const code = codes[this.problem] ?? codes.ok;
    const isFound = code === codes.ok && type === TYPE_A;
    const header = Buffer.alloc(HEADER);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(isFound ? 1 : 0, 6);
    const question = query.subarray(HEADER, end + 5);
    // The name as a pointer to the question, type A, class IN, no caching, and four bytes of address.
    const record = Buffer.from([0xc0, HEADER, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]);
    return Buffer.concat(isFound ? [header, question, record] : [header, question]);
  }
}
