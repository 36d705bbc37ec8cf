import { connectionOf } from './connection.js';
import { ProfileStore, type Profile } from './profile-store.js';

const profile = (url: string, key: string): Profile => ({ url, key, accountId: 'acc', accountName: 'A' });
const [here, there] = ['https://here.example.com', 'https://there.example.com'];

class Stored extends ProfileStore {
  constructor(private readonly stored: Record<string, Profile>) {
    super({ env: {} });
  }

  override all(): Promise<Record<string, Profile>> {
    return Promise.resolve(this.stored);
  }
}

const profiles = new Stored({
  default: profile(here, 'default key'),
  staging: profile(there, 'staging key'),
  second: profile(there, 'second key'),
});

describe('the key of a command', () => {
  it('a command uses the key of a profile with the right address: the named one, else the default, else any other', async () => {
    expect(await connectionOf({}, {}, profiles)).toMatchObject({ url: here, key: 'default key' });
    expect(await connectionOf({ profile: 'second' }, {}, profiles)).toMatchObject({ url: there, key: 'second key' });
    const one = new Stored({ default: profile(here, 'default key'), staging: profile(there, 'staging key') });
    expect(await connectionOf({ projectUrl: there }, {}, one)).toMatchObject({ key: 'staging key' });
  });

  it('a command fails if the named profile has another address', async () => {
    const wrong = connectionOf({ profile: 'staging', url: here }, {}, profiles);
    await expect(wrong).rejects.toThrow(`The profile "staging" has the address ${there}, not ${here}.`);
    await expect(connectionOf({ url: here }, { PASSWRIGHT_PROFILE: 'staging' }, profiles)).rejects.toThrow(
      'has the address',
    );
  });

  it('a command fails if several profiles have the address and the user chooses none of them', async () => {
    const wrong = connectionOf({ url: there }, {}, profiles);
    await expect(wrong).rejects.toThrow(`Several profiles have the address ${there}: staging, second.`);
  });

  it('a command prefers the key from the environment over every profile', async () => {
    const env = { PASSWRIGHT_KEY: 'of CI', PASSWRIGHT_URL: there };
    expect(await connectionOf({}, env, profiles)).toMatchObject({ url: there, key: 'of CI' });
    expect(await connectionOf({ projectUrl: here }, env, profiles)).toMatchObject({ url: there, key: 'of CI' });
  });

  it('PASSWRIGHT_KEY is sent to an address from the project file only if a profile has the same address', async () => {
    const [env, strange] = [{ PASSWRIGHT_KEY: 'of CI' }, 'https://strange.example.com'];
    await expect(connectionOf({ projectUrl: strange }, env, profiles)).rejects.toThrow(
      `PASSWRIGHT_KEY is not sent to ${strange}`,
    );
    await expect(connectionOf({ projectUrl: `${strange}/` }, env, new Stored({}))).rejects.toThrow('is not sent');
    expect(await connectionOf({ projectUrl: strange, url: strange }, env, profiles)).toMatchObject({ url: strange });
    expect(await connectionOf({ projectUrl: `${there}/v1` }, env, profiles)).toMatchObject({
      url: there,
      key: 'of CI',
    });
    expect(await connectionOf({}, env, profiles)).toMatchObject({ url: here, key: 'of CI' });
  });
});
