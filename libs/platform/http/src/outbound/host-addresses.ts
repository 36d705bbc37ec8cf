import { promises, type LookupAddress } from 'node:dns';

/** So long a name server is waited for the first time; it is asked twice, and then twice as long. */
const SERVER_TIMEOUT_MS = 1500;
/** So long a look-up takes at most, however many name servers there are. */
const LOOK_UP_MS = 5000;

/** What a look-up is made with; by default what the machine's resolver is configured with. */
export interface LookUpOptions {
  /** Name servers, as `address:port`. */
  readonly servers?: readonly string[];
  readonly patienceMs?: number;
}

/**
 * Every address of a host. One that an operator allows is looked up as the machine does it, /etc/hosts and search domains
 * included. Any other one, which is a caller's to choose, is asked of the DNS alone: the machine's own look-up holds one
 * of the few threads that sign passes, too, for as long as a name server likes.
 * @throws what the look-up fails with, its `code` included
 */
export function addressesOf(hostname: string, isAllowed: boolean): Promise<LookupAddress[]> {
  return isAllowed ? promises.lookup(hostname, { all: true }) : addressesByDns(hostname);
}

/** Every A and AAAA record of a host. @throws with a `code`: ENOTFOUND, ENODATA, ETIMEOUT … */
export async function addressesByDns(
  hostname: string,
  { servers, patienceMs = LOOK_UP_MS }: LookUpOptions = {},
): Promise<LookupAddress[]> {
  // A new one each time: it has read which name servers there are at this moment.
  const resolver = new promises.Resolver({ timeout: SERVER_TIMEOUT_MS, tries: 2 });
  if (servers) resolver.setServers(servers);
  const deadline = setTimeout(() => resolver.cancel(), patienceMs);
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = [...recordsOf(four, 4), ...recordsOf(six, 6)];
    if (addresses.length === 0) throw failureOf([four, six]);
    return addresses;
  } finally {
    clearTimeout(deadline);
  }
}

type Settled = PromiseSettledResult<string[]>;

/** What one family fails with does not matter while the other one has addresses. */
function recordsOf(answer: Settled, family: 4 | 6): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}

/** That nobody has answered says more than that there is no such record. */
function failureOf(answers: readonly Settled[]): Error {
  const failures = answers.flatMap((answer) =>
    answer.status === 'rejected' ? [answer.reason as Error & { code: string }] : [],
  );
  const failure = failures.find(({ code }) => code !== 'ENODATA' && code !== 'ENOTFOUND') ?? failures[0];
  if (failure?.code !== 'ECANCELLED') return failure ?? Object.assign(new Error('no addresses'), { code: 'ENODATA' });
  return Object.assign(new Error('The name servers do not answer'), { code: 'ETIMEOUT' });
}
