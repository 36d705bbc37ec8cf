import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The part of `s3rver` that this module uses. The package has no types. */
type S3Server = new (options: object) => {
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
  readonly httpServer: { closeAllConnections(): void };
};

/** A bucket of an S3 server on this machine, with its objects in a temporary folder. */
export class TestBucket {
  readonly name = 'passwright-test';
  readonly region = 'us-east-1';
  /** The only key that the server accepts. */
  readonly credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

  private constructor(
    private readonly server: InstanceType<S3Server>,
    /** The server's address. Requests name the bucket in the path. */
    readonly endpoint: string,
    private readonly dir: string,
  ) {}

  /** Starts a server with one empty bucket. Needs the npm package `s3rver`. */
  static async start(): Promise<TestBucket> {
    const name = 's3rver';
    const library = (await import(name)) as { default: S3Server };
    const directory = await mkdtemp(join(tmpdir(), 'passwright bucket '));
    const configureBuckets = [{ name: 'passwright-test' }];
    const server = new library.default({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets });
    const { port } = await server.run();
    return new TestBucket(server, `http://127.0.0.1:${port}`, directory);
  }

  /** Stops the server and deletes its objects. */
  async stop(): Promise<void> {
    this.server.httpServer.closeAllConnections();
    await this.server.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}
