// Uploads images, and reads what the store must serve.
import { smallImage, Tenant } from './tenant.mjs';

export class StoredImages {
  /** The paths of the accepted images. */
  accepted = new Set();
  /** @type {string} */
  path = '';

  constructor(node, ledger) {
    this.tenant = new Tenant(node.url, { token: ledger.token });
    this.ledger = ledger;
  }

  async open() {
    await this.upload();
    const { body } = await this.ledger.once('POST', '/v1/pass/soak', { id: 'with-a-package' });
    this.path = new URL(body.walletAUrl).pathname;
    await this.download();
  }

  async upload() {
    const { body } = await this.tenant.upload(await smallImage());
    this.accepted.add(new URL(body.icon).pathname);
  }

  download() {
    return this.tenant.call('GET', this.path);
  }

  /** Requests a random accepted image. */
  serve() {
    const paths = [...this.accepted];
    return this.tenant.call('GET', paths[Math.floor(Math.random() * paths.length)]);
  }

  /** Counts the accepted images that the node does not serve. */
  async wrong() {
    let wrong = 0;
    for (const path of this.accepted) {
      const image = await this.tenant.call('GET', path).catch(() => null);
      if (!image || image.body.length === 0) wrong += 1;
    }
    return wrong;
  }
}
