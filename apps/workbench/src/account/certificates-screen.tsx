import type { AppleCertificateResponse, GoogleServiceAccountResponse } from '@passwright/client';
import { useWho } from '../api/current-user.js';
import { inLocalTime, localDay } from '../model/dates.js';
import { Badge, Failure, Heading, Loading } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';
import { AppleUpload, GoogleUpload } from './credential-uploads.js';
import { RemoveCredential } from './remove-credential.js';

const sources = {
  account: 'the account’s own',
  operator: 'the operator’s',
  development: 'a development one, which phones reject',
};

/** The Apple Wallet certificate with the days until it expires, and the Google Wallet issuer. */
export function CertificatesScreen() {
  const { session, mayManage, isTest } = useWho();
  const mayUpload = mayManage && !isTest;
  const apple = useLoad('apple', (signal) => session.api.getAppleCertificate({ signal }));
  const google = useLoad('google', (signal) => session.api.getGoogleServiceAccount({ signal }));
  return (
    <>
      <Heading
        title="Certificates"
        note={
          isTest
            ? 'A test account always uses development credentials.'
            : 'Private keys are stored encrypted and never shown.'
        }
      />
      <div class="two even">
        <section class="panel stack" aria-labelledby="apple">
          <h2 id="apple">Apple Wallet</h2>
          <Failure error={apple.error} onRetry={apple.reload} />
          {apple.data ? <Apple certificate={apple.data} /> : apple.error === null && <Loading />}
          {apple.data && mayUpload && <AppleUpload certificate={apple.data} onDone={apple.reload} />}
          {apple.data?.source === 'account' && mayManage && (
            <RemoveCredential
              name="certificate"
              text="The operator’s certificate signs the passes again. This is rejected while phones hold passes of this certificate, because they could not update them any more."
              remove={async () => void (await session.api.deleteAppleCertificate())}
              onDone={apple.reload}
            />
          )}
        </section>
        <section class="panel stack" aria-labelledby="google">
          <h2 id="google">Google Wallet</h2>
          <Failure error={google.error} onRetry={google.reload} />
          {google.data ? <Google issuer={google.data} /> : google.error === null && <Loading />}
          {google.data && mayUpload && <GoogleUpload onDone={google.reload} />}
          {google.data?.source === 'account' && mayManage && (
            <RemoveCredential
              name="issuer"
              text="New save links use the operator’s issuer again. Passes under this issuer stay in wallets and no longer update, until you set the issuer again."
              remove={async () => void (await session.api.deleteGoogleServiceAccount())}
              onDone={google.reload}
            />
          )}
        </section>
      </div>
    </>
  );
}

function Apple({ certificate }: { certificate: AppleCertificateResponse }) {
  const { source, status, daysLeft, expiresAt, passTypeIdentifier, teamIdentifier, problem, push } = certificate;
  const tone = status === 'valid' ? 'good' : status === 'expiring' ? 'waiting' : 'ended';
  return (
    <>
      <p class="days">
        <strong>{daysLeft ?? '—'}</strong> {daysLeft === 1 ? 'day' : 'days'} left <Badge tone={tone}>{status}</Badge>
      </p>
      {problem !== null && <p class="notice ended">{problem}</p>}
      <dl class="facts">
        <dt>Certificate</dt>
        <dd>{sources[source]}</dd>
        <dt>Expires</dt>
        <dd>{localDay(expiresAt)}</dd>
        <dt>Pass type</dt>
        <dd>{passTypeIdentifier ?? '—'}</dd>
        <dt>Team</dt>
        <dd>{teamIdentifier ?? '—'}</dd>
        <dt>Pushes</dt>
        <dd>
          {push.state}
          {push.reason !== null && `: ${push.reason}`}
        </dd>
      </dl>
    </>
  );
}

function Google({ issuer }: { issuer: GoogleServiceAccountResponse }) {
  const { source, issuerId, clientEmail, uploadedAt, state, problem, development } = issuer;
  return (
    <>
      <p>
        <Badge tone={development ? 'waiting' : state === 'working' ? 'good' : 'ended'}>
          {development ? 'development' : state}
        </Badge>
      </p>
      {problem !== null && <p class="notice ended">{problem}</p>}
      <dl class="facts">
        <dt>Issuer</dt>
        <dd>{source === 'development' ? 'none: save links are for viewing only' : sources[source]}</dd>
        <dt>Issuer id</dt>
        <dd>{issuerId ?? '—'}</dd>
        <dt>Service account</dt>
        <dd>{clientEmail ?? '—'}</dd>
        <dt>Set</dt>
        <dd>{inLocalTime(uploadedAt)}</dd>
      </dl>
    </>
  );
}
