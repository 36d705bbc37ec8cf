import { clientOf, type Context } from '../context.js';
import { Failure } from '../failures.js';
import { defaultProfile, type Profile } from '../profile-store.js';
import { isRejected } from '../service-errors.js';

/** Runs `passwright logout`: revokes a key that `login` created, and forgets a key that the user entered. */
export async function logout(context: Context, { force }: { force?: boolean }): Promise<void> {
  const { io, output, profiles } = context;
  const name = context.options.profile ?? io.env.PASSWRIGHT_PROFILE ?? defaultProfile;
  const profile = await profiles.find(name);
  if (!profile) throw new Failure(`You are not logged in as profile ${name}.`, undefined, 'not_logged_in');
  const revoked = profile.keyId !== undefined && (await revoke(context, profile, force === true));
  await profiles.forget(name);
  output.result({ profile: name, url: profile.url, revoked });
  output.line(
    revoked
      ? `Logged out of ${profile.url}; the key is revoked.`
      : `Logged out of ${profile.url}. The key is still valid.`,
  );
}

/** Revokes a key. @returns true if the key is now revoked */
async function revoke({ output }: Context, { url, key, keyId = '' }: Profile, force: boolean): Promise<boolean> {
  try {
    await clientOf(url, key).revokeApiKey({ keyId });
    return true;
  } catch (error) {
    // These errors mean that the key is already revoked.
    if (isRejected(error, 'unauthorized') || isRejected(error, 'key_not_found')) return true;
    const why = error instanceof Error ? error.message : String(error);
    if (!force)
      throw new Failure(
        `The key could not be revoked, so it is kept: ${why}`,
        'To delete it from this machine anyway: passwright logout --force',
      );
    output.warn(`The key ${keyId} could not be revoked: ${why}`);
    return false;
  }
}
