import { lookup } from 'node:dns/promises';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { within } from '@passwright/core';
import { isPublicAddress } from '@passwright/http';
import { INSTALLATION_HEADER, installationId } from '../health/installation-id.js';
import { type Finding, type Installation, inProduction, ok, problem, reasonOf, warning } from './finding.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const SOON_DAYS = 14;

/**
 * Checks that the public address uses https, is public, and leads to this installation. It cannot show whether clients
 * elsewhere reach the address.
 */
export async function baseUrlCheck(installation: Installation): Promise<Finding[]> {
  const url = new URL(installation.config.server.baseUrl);
  const [scheme, address] = [schemeFinding(installation, url), await addressFinding(installation, url)];
  return [scheme, address, ...(address.verdict === 'problem' ? [] : await toFindings(installation, url))];
}

function schemeFinding(installation: Installation, url: URL): Finding {
  if (url.protocol === 'https:') return ok(`BASE_URL is ${url.href.replace(/\/$/, '')}.`);
  return inProduction(
    installation,
    `BASE_URL ${url.href.replace(/\/$/, '')} is not https: iPhones take no updates from there.`,
    'Put a proxy with a certificate in front, and set BASE_URL to its https address.',
  );
}

async function addressFinding({ limitMs }: Installation, { hostname }: URL): Promise<Finding> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  let addresses: string[];
  try {
    addresses = isIP(host)
      ? [host]
      : (await within(limitMs * 0.3, lookup(host, { all: true }))).map(({ address }) => address);
  } catch (error) {
    return problem(
      `${host} has no address (${reasonOf(error)}).`,
      'Add an A or AAAA record for it, or correct BASE_URL.',
    );
  }
  if (addresses.some(isPublicAddress)) return ok(`${host} has a public address (${addresses.join(', ')}).`);
  return warning(
    `${host} has no public address as seen from here (${addresses.join(', ')}): phones outside this network do not reach it.`,
    'Set BASE_URL to an address that the internet reaches. Ignore this if the name has a public address elsewhere.',
  );
}

async function toFindings(installation: Installation, url: URL): Promise<Finding[]> {
  let reply: ApiResponse;
  try {
    reply = await ask(`${url.href.replace(/\/$/, '')}/health/ready`, installation);
  } catch (error) {
    return [failure(installation, error as NodeJS.ErrnoException)];
  }
  return [identityFinding(installation, reply), ...certificateFinding(installation, reply)];
}

interface ApiResponse {
  readonly status: number;
  readonly id: string | undefined;
  /** The expiry date of the server's certificate; null without TLS. */
  readonly validTo: Date | null;
}

/** Requests an address and reads only the headers of the response. */
function ask(url: string, { ca, limitMs }: Installation): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const heard = (response: IncomingMessage) => {
      const { socket, headers, statusCode = 0 } = response;
      const certificate = 'getPeerCertificate' in socket ? (socket as TLSSocket).getPeerCertificate() : null;
      const validTo = certificate?.valid_to ? new Date(certificate.valid_to) : null;
      response.destroy();
      resolve({ status: statusCode, id: headers[INSTALLATION_HEADER.toLowerCase()] as string | undefined, validTo });
    };
    const signal = AbortSignal.timeout(limitMs * 0.6);
    const trusted = ca ? { ca } : {};
    const request = url.startsWith('https:')
      ? getHttps(url, { agent: false, signal, ...trusted }, heard)
      : getHttp(url, { agent: false, signal }, heard);
    request.on('error', reject);
  });
}

function identityFinding(installation: Installation, { status, id }: ApiResponse): Finding {
  const own = installationId(installation.config.appleWallet.passTokenSecret);
  if (status === 503) {
    return problem('The service there is not ready (503).', 'See its log: its database may not respond.');
  }
  if (id === undefined) {
    const what = status >= 300 && status < 400 ? 'a redirect' : 'something else than this service';
    return problem(
      `At BASE_URL ${what} responds (${status}).`,
      'Have the proxy pass every path on as it is, or correct BASE_URL.',
    );
  }
  if (id !== own) {
    return problem(
      'At BASE_URL another installation responds, or one with another PASS_TOKEN_SECRET.',
      'Correct BASE_URL, or run this command with the environment of the service.',
    );
  }
  return ok('This installation responds at BASE_URL.');
}

function certificateFinding({ now }: Installation, { validTo }: ApiResponse): Finding[] {
  if (!validTo) return [];
  const days = Math.floor((validTo.getTime() - now.getTime()) / DAY_MS);
  const found = `The certificate of BASE_URL is valid for ${days} days.`;
  return [days > SOON_DAYS ? ok(found) : warning(found, 'Renew it, and find out why that is not automatic.')];
}

const tlsCodes: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is signed by itself: phones reject it',
  SELF_SIGNED_CERT_IN_CHAIN: 'comes from an authority that phones do not know',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'comes without its intermediate, or from an authority that phones do not know',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'comes without its intermediate, or from an authority that phones do not know',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name',
};

function failure(installation: Installation, error: NodeJS.ErrnoException): Finding {
  const wrong = error.code === undefined ? undefined : tlsCodes[error.code];
  if (wrong) {
    return problem(
      `The certificate of BASE_URL ${wrong} (${error.code}).`,
      'Have the proxy show a certificate of a well-known authority for this name, with its intermediates.',
    );
  }
  const reason = error.name === 'AbortError' || error.name === 'TimeoutError' ? 'no response in time' : reasonOf(error);
  return inProduction(
    installation,
    `Nothing responds at BASE_URL from here (${reason}).`,
    'Start the service and the proxy in front. Where this machine cannot reach its own public address, try from another.',
  );
}
