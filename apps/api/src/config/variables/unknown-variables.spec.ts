import { describeUnknown, unknownVariables } from './unknown-variables.js';
import { fileVariables, variables } from './variables.js';

const meant = (name: string) => unknownVariables({ [name]: 'x' })[0]?.meant;

describe('unknownVariables', () => {
  it.each([
    ['RATE_LIMIT', 'RATE_LIMIT_PER_MINUTE'],
    ['RATE_LIMIT_PER_SECOND', 'RATE_LIMIT_PER_MINUTE'],
    ['APPLE_CERTIFCATE', 'APPLE_CERTIFICATE'],
    ['APPLE_PRIVATE_KEY_PASSWORD', 'APPLE_PRIVATE_KEY_PASSPHRASE'],
    ['GOOGLE_SERVICE_ACCOUNT_JSON', 'GOOGLE_SERVICE_ACCOUNT'],
    ['MASTER_KEY', 'MASTER_KEYS'],
    ['MAIL_FORM', 'MAIL_FROM'],
    ['TRUSTED_PROXY', 'TRUST_PROXY'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['SMTP_HOST', 'SMTP_URL'],
    ['SMTP_PORT', 'SMTP_URL'],
    ['S3_BUCKET_NAME', 'S3_BUCKET'],
    ['S3_SECRET_KEY', 'S3_SECRET_ACCESS_KEY'],
    // This variable cannot come from a file.
    ['DATABASE_URL_FILE', 'DATABASE_URL'],
    ['log_level', 'LOG_LEVEL'],
    ['WORKER', 'WORKERS'],
  ])('unknownVariables reports the unknown name %s and suggests %s', (name, own) => expect(meant(name)).toBe(own));

  it('unknownVariables ignores the variables of other programs', () => {
    const foreign =
      'PATH HOME HOSTNAME HOST_NAME USER MAIL LANG TERM SHELL PWD EDITOR INIT_CWD NODE NODE_OPTIONS NODE_VERSION ' +
      'NODE_EXTRA_CA_CERTS npm_config_cache npm_package_name GOOGLE_APPLICATION_CREDENTIALS GOOGLE_CLOUD_PROJECT ' +
      'AWS_REGION AWS_ACCESS_KEY_ID PGHOST PGDATA POSTGRES_PASSWORD DATABASE_HOST DATABASE_PORT XDG_DATA_DIRS ' +
      'STRIPE_API_KEY OTEL_BSP_SCHEDULE_DELAY OTEL_TRACES_EXPORTER OTEL_LOG_LEVEL UV_THREADPOOL_SIZE PORTS HTTP_URL ' +
      'S3_SERVICE_HOST SMTP_SERVICE_PORT_SMTP SMTP_PORT_25_TCP SMTP_PORT_25_TCP_ADDR DATABASE_URL_UNPOOLED LOG_DIR TEST_DATABASE_URL PASSWRIGHT_URL NO_COLOR S3 OIDC';
    expect(unknownVariables(Object.fromEntries(foreign.split(' ').map((name) => [name, 'x'])))).toEqual([]);
    expect(unknownVariables({ SMTP_PORT: 'tcp://10.96.0.7:25', S3_PORT: 'udp://[fd00::7]:53' })).toEqual([]);
  });

  it("unknownVariables ignores the service's own variables, and variables without a value", () => {
    const names = [...Object.keys(variables), ...fileVariables.map((name) => `${name}_FILE`)];
    expect(unknownVariables(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
    expect(unknownVariables({ RATE_LIMIT: '', MASTER_KEY: undefined })).toEqual([]);
  });

  it('describeUnknown names the unknown variable and the suggested one', () => {
    expect(unknownVariables({ MASTER_KEY: 'x' }).map(describeUnknown)).toEqual([
      'MASTER_KEY is not a variable of Passwright and has no effect; did you mean MASTER_KEYS?',
    ]);
  });
});
