import { promises, type LookupAddress } from 'node:dns';

/** The timeout of the first attempt at a name server. The second attempt takes twice as long. */
const SERVER_TIMEOUT_MS = 1500;
/** The timeout of a whole look-up, for all name servers together. */
const LOOK_UP_MS = 5000;

/** Options of a look-up. They default to the configuration of the machine's resolver. */
export interface LookUpOptions {
  /** Name servers, as `address:port`. */
  readonly servers?: readonly string[];
  readonly timeoutMs?: number;
}

/**
 * Returns every address of a host. Only hosts that the operator allows are resolved by the machine's resolver, which
 * reads /etc/hosts. DNS alone resolves all other hosts, because a slow name server could block that resolver.
 * @throws the error of the look-up, including its `code`
 */
export function addressesOf(hostname: string, isAllowed: boolean): Promise<LookupAddress[]> {
  return isAllowed ? promises.lookup(hostname, { all: true }) : addressesByDns(hostname);
}

/** Returns every A and AAAA record of a host. @throws an error with a `code`: ENOTFOUND, ENODATA, ETIMEOUT … */
export async function addressesByDns(
  hostname: string,
  { servers, timeoutMs = LOOK_UP_MS }: LookUpOptions = {},
): Promise<LookupAddress[]> {
  // Create a new resolver for each look-up, because only a new one reads the current list of name servers.
  const resolver = new promises.Resolver({ timeout: SERVER_TIMEOUT_MS, tries: 2 });
  if (servers) resolver.setServers(servers);
  const deadline = setTimeout(() => resolver.cancel(), timeoutMs);
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

/**
 * Returns the records of one address family; an empty list if its query failed, because the other family may have
 * addresses.
 */
function recordsOf(response: Settled, family: 4 | 6): LookupAddress[] {
  return response.status === 'fulfilled' ? response.value.map((address) => ({ address, family })) : [];
}

/** Returns the more informative of two errors: "no response" rather than "no record". */
function failureOf(responses: readonly Settled[]): Error {
  const failures = responses.flatMap((response) =>
    response.status === 'rejected' ? [response.reason as Error & { code: string }] : [],
  );
  const failure = failures.find(({ code }) => code !== 'ENODATA' && code !== 'ENOTFOUND') ?? failures[0];
  if (failure?.code !== 'ECANCELLED') return failure ?? Object.assign(new Error('no addresses'), { code: 'ENODATA' });
  return Object.assign(new Error('The name servers do not respond'), { code: 'ETIMEOUT' });
}
