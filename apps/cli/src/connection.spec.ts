import { connectionOf } from './connection.js';
import { Profiles, type Profile } from './profiles.js';

const profile = (url: string, key: string): Profile => ({ url, key, accountId: 'acc', accountName: 'A' });
const [here, there] = ['https://here.example.com', 'https://there.example.com'];

class Kept extends Profiles {
  constructor(private readonly kept: Record<string, Profile>) {
    super({ env: {} });
  }

  override all(): Promise<Record<string, Profile>> {
    return Promise.resolve(this.kept);
  }
}

const profiles = new Kept({
  default: profile(here, 'default key'),
  staging: profile(there, 'staging key'),
  second: profile(there, 'second key'),
});

describe('the key of a command', () => {
  it('is that of the profile with the address: the named one, else the default, else the only one', async () => {
    expect(await connectionOf({}, {}, profiles)).toMatchObject({ url: here, key: 'default key' });
    expect(await connectionOf({ profile: 'second' }, {}, profiles)).toMatchObject({ url: there, key: 'second key' });
    const one = new Kept({ default: profile(here, 'default key'), staging: profile(there, 'staging key') });
    expect(await connectionOf({ projectUrl: there }, {}, one)).toMatchObject({ key: 'staging key' });
  });

  it('is none where another profile than the named one has the address', async () => {
    const wrong = connectionOf({ profile: 'staging', url: here }, {}, profiles);
    await expect(wrong).rejects.toThrow(`The profile "staging" is of ${there}, not of ${here}.`);
    await expect(connectionOf({ url: here }, { PASSWRIGHT_PROFILE: 'staging' }, profiles)).rejects.toThrow('is of');
  });

  it('is none where several profiles have the address and none is named: they may be of several accounts', async () => {
    const wrong = connectionOf({ url: there }, {}, profiles);
    await expect(wrong).rejects.toThrow(`Several profiles are of ${there}: staging, second.`);
  });

  it('from the environment wins over every profile', async () => {
    const env = { PASSWRIGHT_KEY: 'of CI', PASSWRIGHT_URL: there };
    expect(await connectionOf({}, env, profiles)).toMatchObject({ url: there, key: 'of CI' });
    expect(await connectionOf({ projectUrl: here }, env, profiles)).toMatchObject({ url: there, key: 'of CI' });
  });

  it('from the environment is sent to no address that only a project names, where nobody has logged in', async () => {
    const [env, strange] = [{ PASSWRIGHT_KEY: 'of CI' }, 'https://strange.example.com'];
    await expect(connectionOf({ projectUrl: strange }, env, profiles)).rejects.toThrow(
      `PASSWRIGHT_KEY is not sent to ${strange}`,
    );
    await expect(connectionOf({ projectUrl: `${strange}/` }, env, new Kept({}))).rejects.toThrow('is not sent');
    expect(await connectionOf({ projectUrl: strange, url: strange }, env, profiles)).toMatchObject({ url: strange });
    expect(await connectionOf({ projectUrl: `${there}/v1` }, env, profiles)).toMatchObject({
      url: there,
      key: 'of CI',
    });
    expect(await connectionOf({}, env, profiles)).toMatchObject({ url: here, key: 'of CI' });
  });
});
