import type { AppleCredential } from '@passwright/core';
import { testCertificates, type TestCertificates } from '@passwright/testing';
import { DataSource } from 'typeorm';
import type { ErrorCase } from './device-error-cases.js';
import type { Account, ApiResponse, RunningService } from '../support/running-service.js';
import { testAccountOf } from '../support/test-account.js';

const certificatePath = '/v1/account/walletA';
const issuerPath = '/v1/account/walletB';
const stale = { 'If-Match': '"stale.stale"' };
const outdated = ['412 precondition_failed', 'the credential has changed since'] as const;

/** Returns the error cases of an account's own certificate and Google Wallet issuer. */
export function certificateErrorCases({ service }: { readonly service: () => RunningService }): ErrorCase[] {
  const owned = (send: (owner: Account) => Promise<ApiResponse>) => async () => send(await service().register());
  const put = (path: string, body: object, { token }: Account, headers = {}) =>
    service().request('PUT', path, { token, body, headers });
  const row = (sql: string, owner: Account) => service().app.get(DataSource).query(sql, [owner.id]);

  const anotherPassType = owned(async (owner) => {
    expect(await put(certificatePath, certificateOf('pass.com.example.one'), owner)).toMatchObject({ status: 200 });
    return put(certificatePath, certificateOf('pass.com.example.two'), owner);
  });
  const certificateInUse = owned(async (owner) => {
    expect(await put(certificatePath, certificateOf('pass.com.example.one'), owner)).toMatchObject({ status: 200 });
    await row(
      `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
       VALUES ($1, 'phone', 'pass.com.example.one', 'phone', 'token', now())`,
      owner,
    );
    return owner.delete(certificatePath);
  });
  const anotherIssuer = owned(async (owner) => {
    await row(
      `INSERT INTO google_resource (account_id, issuer_id, id, template_id, type, sent_hash, created_at)
       VALUES ($1, '3388000000011111111', 'class', 'summer', 'offer', '', now())`,
      owner,
    );
    return put(issuerPath, { issuerId: '3388000000022222222', serviceAccount: aServiceAccount() }, owner);
  });
  const testAccount = owned(async (owner) => (await testAccountOf(owner)).post(`${certificatePath}/request`));
  const uploadOf = (path: string) =>
    path === issuerPath
      ? { issuerId: '3388000000022222222', serviceAccount: aServiceAccount() }
      : certificateOf('pass.com.example.one');
  const staleSave = (path: string) => owned((owner) => put(path, uploadOf(path), owner, stale));
  const staleRemoval = (path: string) =>
    owned(async (owner) => {
      expect(await put(path, uploadOf(path), owner)).toMatchObject({ status: 200 });
      return service().request('DELETE', path, { token: owner.token, headers: stale });
    });
  const nothing = (path: string) => owned((owner) => put(path, {}, owner));
  const none = (path: string) => owned((owner) => owner.delete(path));
  return [
    ['saveAppleCertificate', '400 validation_failed', 'the body is empty', nothing(certificatePath)],
    ['saveAppleCertificate', '409 invalid_transition', 'the new certificate is for another pass type', anotherPassType],
    ['saveAppleCertificate', ...outdated, staleSave(certificatePath)],
    ['requestAppleCertificate', '409 invalid_transition', 'the account is a test account', testAccount],
    ['deleteAppleCertificate', '404 not_found', 'the account has no certificate', none(certificatePath)],
    ['deleteAppleCertificate', '409 invalid_transition', 'a device uses the certificate', certificateInUse],
    ['deleteAppleCertificate', ...outdated, staleRemoval(certificatePath)],
    ['saveGoogleServiceAccount', ...outdated, staleSave(issuerPath)],
    ['deleteGoogleServiceAccount', ...outdated, staleRemoval(issuerPath)],
    ['saveGoogleServiceAccount', '400 validation_failed', 'the body is empty', nothing(issuerPath)],
    ['saveGoogleServiceAccount', '409 invalid_transition', 'passes are under another issuer', anotherIssuer],
    ['deleteGoogleServiceAccount', '404 not_found', 'the account has no issuer', none(issuerPath)],
  ];
}

let made: TestCertificates | undefined;

/** Creates a credential. All cases share one authority, because another one would need two new keys. */
function credentialOf(passTypeIdentifier: string): AppleCredential {
  made ??= testCertificates();
  return made.pass({ passTypeIdentifier });
}

function certificateOf(passTypeIdentifier: string): object {
  const { certificatePem, privateKeyPem, intermediatePem } = credentialOf(passTypeIdentifier);
  return { certificate: certificatePem, privateKey: privateKeyPem, intermediate: intermediatePem };
}

function aServiceAccount(): object {
  const { privateKeyPem } = credentialOf('pass.com.example.one');
  return {
    type: 'service_account',
    client_email: 'passes@example-club.iam.gserviceaccount.com',
    private_key: privateKeyPem,
  };
}
