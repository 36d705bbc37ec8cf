import { createHmac } from 'node:crypto';
import { DetachedCms, loadSigningMaterial, toIdentity } from '@passwright/signer/cms';
import { applePassJson, compilePackage, neutralIcon } from '@passwright/wallet-renderers/apple';
import { template } from './template.js';

// Compute these values once per instance of the function, because they are the same for all requests.
const { CERTIFICATE_PEM, PRIVATE_KEY_PEM, INTERMEDIATE_PEM, PASS_TOKEN_SECRET } = process.env;
const material = loadSigningMaterial({
  certificatePem: CERTIFICATE_PEM,
  privateKeyPem: PRIVATE_KEY_PEM,
  intermediatePem: INTERMEDIATE_PEM,
});
const identity = toIdentity(material);
const cms = new DetachedCms(material);
const files = compilePackage(neutralIcon());

/** Returns a pass for `?name=`, in the form of an AWS Lambda function behind an HTTP API. */
export async function handler(event) {
  const name = event.queryStringParameters?.name ?? 'Guest';
  const pass = { ...blank, serialNumber: name, code: name, primaryValue: name };
  const json = applePassJson(template, pass, { ...identity, ...webServiceOf(pass) });
  const draft = files.draft(JSON.stringify(json));
  const pkpass = Buffer.concat(draft.finish(await cms.sign(draft.manifest, new Date())));
  return {
    statusCode: 200,
    headers: { 'Content-Type': 'application/vnd.apple.pkpass' },
    isBase64Encoded: true,
    body: pkpass.toString('base64'),
  };
}

/** Returns the address where phones request changes of the pass, and the token that they send. */
function webServiceOf({ serialNumber }) {
  return {
    webServiceUrl: 'https://gym.example.com/wallet',
    authenticationToken: createHmac('sha256', PASS_TOKEN_SECRET).update(serialNumber).digest('base64url'),
  };
}

const blank = {
  validFrom: null,
  expiresAt: null,
  voidedAt: null,
  expiredAt: null,
  redeemedAt: null,
  locations: [],
  fields: [],
  backFields: [],
};
