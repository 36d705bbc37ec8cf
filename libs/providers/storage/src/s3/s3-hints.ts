import type { S3Store } from '../storage.options.js';

/** The settings that a remedy depends on. */
export type S3Settings = Pick<S3Store, 'endpoint' | 'pathStyle' | 'credentials'>;

const anotherKey = 'Or unset S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and S3_SESSION_TOKEN to use the environment.';
const pathStyle = 'Set S3_PATH_STYLE=true, or correct S3_ENDPOINT.';
const endpoint = 'Correct S3_ENDPOINT, or let this machine connect to it.';
const authority =
  "Node.js does not trust this certificate: set NODE_EXTRA_CA_CERTS to the file of the service's authority.";

/** Remedies for mistakes that are common when a bucket is set up, by the name or code of the error. */
const remedies: Readonly<Record<string, (settings: S3Settings, error: unknown) => string>> = {
  AccessDenied: () =>
    'The identity needs s3:GetObject, s3:PutObject and s3:DeleteObject on its objects, s3:ListBucket on the bucket, ' +
    'and the rights to its KMS key.',
  InvalidAccessKeyId: ({ credentials }) =>
    credentials
      ? 'Correct S3_ACCESS_KEY_ID: the service has no such key.'
      : 'The key comes from the identity of the environment, and the service has no such key. Set S3_ACCESS_KEY_ID ' +
        'and S3_SECRET_ACCESS_KEY if the bucket belongs to another service.',
  SignatureDoesNotMatch: ({ credentials }) =>
    (credentials ? 'Correct S3_SECRET_ACCESS_KEY.' : 'Correct the secret key in the environment.') +
    ' If it is right, a proxy changes the host or the path of requests.',
  RequestTimeTooSkewed: () => 'The clock of this machine or of the service is wrong: use NTP on both.',
  ExpiredToken: ({ credentials }) =>
    credentials ? `The temporary key has expired: replace it and S3_SESSION_TOKEN. ${anotherKey}` : expiredIdentity,
  InvalidToken: ({ credentials }) =>
    credentials ? 'Correct S3_SESSION_TOKEN, or unset it: only a temporary key has a token.' : expiredIdentity,
  CredentialsProviderError: () =>
    'Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or give the machine, the container or its service account a role.',
  NoSuchBucket: () => 'Create the bucket, or correct its name.',
  PermanentRedirect: anotherRegion,
  AuthorizationHeaderMalformed: anotherRegion,
  IllegalLocationConstraintException: anotherRegion,
  'KMS.NotFoundException': () => 'Correct S3_KMS_KEY_ID, which must be a key in the region of the bucket.',
  'KMS.DisabledException': () => 'Enable the KMS key, or set S3_KMS_KEY_ID to another one.',
  InvalidObjectState: () => 'The image is in a storage class from which it must be restored first; restore it.',
  ENOTFOUND: (settings) => (settings.endpoint && !settings.pathStyle ? pathStyle : endpointOrRegion(settings)),
  ECONNREFUSED: () => endpoint,
  EHOSTUNREACH: () => endpoint,
  EPROTO: () => 'The service does not speak TLS at this port: begin S3_ENDPOINT with http://, or correct its port.',
  ERR_TLS_CERT_ALTNAME_INVALID: () => pathStyle,
  DEPTH_ZERO_SELF_SIGNED_CERT: () => authority,
  SELF_SIGNED_CERT_IN_CHAIN: () => authority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: () => authority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: () => authority,
};

const expiredIdentity = 'The identity of the environment has given an expired or invalid token: renew it.';

/** Returns a remedy for a common mistake in the settings of a bucket, or null for any other error. */
export function s3Hint(error: unknown, settings: S3Settings): string | null {
  const { name, code } = error as NodeJS.ErrnoException;
  const remedy = remedies[name] ?? remedies[code ?? ''];
  return remedy ? remedy(settings, error) : null;
}

function endpointOrRegion({ endpoint: at }: S3Settings): string {
  return at ? endpoint : 'Correct S3_REGION, or let this machine look up the hosts of AWS.';
}

/** Returns a hint with the region of the bucket, if the response names it. */
function anotherRegion(_settings: S3Settings, error: unknown): string {
  const { $response, Region } = error as {
    readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
    readonly Region?: unknown;
  };
  const region = $response?.headers?.['x-amz-bucket-region'] ?? Region;
  const isRegion = typeof region === 'string' && /^[a-z0-9-]{1,50}$/.test(region);
  return `The bucket is in another region${isRegion ? `: set S3_REGION=${region}` : ''}.`;
}
