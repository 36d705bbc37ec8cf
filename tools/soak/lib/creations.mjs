// Creations at a rate of their own, however long the service takes. Run as a process, which is told what to do by one message:
//   the nodes' URLs, BASE_URL, the key of an account, creations a second, and for how many seconds
import { Ledger } from './ledger.mjs';
import { offer } from './overload.mjs';

process.once('message', async ({ urls, publicUrl, token, perSecond, seconds }) => {
  const ledger = Object.assign(new Ledger(urls, publicUrl), { token });
  const counts = await offer(() => ledger.createOnce(), perSecond, AbortSignal.timeout(seconds * 1000));
  process.send({ counts, acknowledged: [...ledger.acknowledged], responses: ledger.responses }, () => process.exit(0));
});
