import type { Browser, HTTPRequest } from 'puppeteer-core';
import { chromiumPath, openBrowser } from '../support/chromium.js';
import type { RunningService, Account } from '../support/running-service.js';
import { sampleImages, startWithWorkbench, workbench, WorkbenchPage } from '../support/workbench-page.js';

const chromium = chromiumPath();

let service: RunningService;
let account: Account;
let browser: Browser;
let person: WorkbenchPage;

(chromium ? describe : describe.skip)('the scanner of the workbench', () => {
  beforeAll(async () => {
    service = await startWithWorkbench();
    browser = await openBrowser(chromium ?? '', service);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    account = await service.register();
    person = await WorkbenchPage.open(browser, { width: 390, height: 844 });
    const fields = [{ key: 'seat', label: 'Seat', value: 'any' }];
    expect((await account.saveTemplate('membership', 'concert', { ...sampleImages, fields })).status).toBe(200);
  });
  afterEach(() => person.close());

  async function issued(code: string, changes: object = {}): Promise<void> {
    const { status } = await account.post('/v1/pass/concert', { primaryValue: `Holder of ${code}`, code, ...changes });
    expect(status).toBe(201);
  }
  const redeemedAt = async (code: string) =>
    (await account.get(`/v1/pass/concert?code=${code}`)).body.data[0].redeemedAt as string | undefined;
  const scan = async (code: string) => {
    await person.fill('Code', code);
    await person.page.keyboard.press('Enter');
  };
  /** Presses the button once the screen has focused its input. Otherwise, the input could get the key. */
  async function pressUseTheCamera(): Promise<void> {
    await person.page.waitForSelector('.scanner input:focus');
    await person.press('button::-p-text(Use the camera)');
  }
  const verdict = (title: string) => person.page.waitForSelector(`.scanned h2::-p-text(${title})`);

  it('a person redeems a pass that a hardware scanner has read twice', async () => {
    await issued('A-1', { fields: [{ key: 'seat', label: 'Seat', value: 'Row 2, 7' }] });
    await person.signIn(account, '#/scan');
    await scan('A-1');
    await verdict('Valid');
    expect(await person.textOf('.scanned .facts')).toContain('SeatRow 2, 7');
    await scan('A-1');
    expect(await redeemedAt('A-1')).toBeUndefined();
    await person.expectAccessible('scan-valid');
    await person.press('.scanned button::-p-text(Redeem)');
    await verdict('Redeemed');
    const first = await redeemedAt('A-1');
    expect(first).toEqual(expect.any(String));
    await person.expectAccessible('scan-redeemed');
    await scan('A-1');
    await verdict('Already redeemed');
    // The person does not click the input before the scanner types the next code.
    await issued('B-1');
    await person.page.keyboard.type('B-1');
    await person.page.keyboard.press('Enter');
    await person.page.waitForSelector('.scanned ::-p-text(Holder of B-1)');
    await scan('A-1');
    await person.page.waitForSelector('.scanned ::-p-text(Holder of A-1)');
    await verdict('Already redeemed');
    expect(await person.page.$('.scanned .primary')).toBeNull();
    expect(await redeemedAt('A-1')).toBe(first);
    await person.expectAccessible('scan-again');
    await person.press('.scanned button::-p-text(Next)');
    await person.page.waitForSelector('.scanned', { hidden: true });
  }, 90_000);

  it('void, expired and unknown codes are rejected with a reason, and offer no redemption', async () => {
    await issued('V-1', { voided: true });
    await issued('E-1', { expiry: '2020-01-01T00:00:00.000Z' });
    await person.signIn(account, '#/scan');
    for (const [code, title] of [
      ['V-1', 'Void'],
      ['E-1', 'Expired'],
      ['X-1', 'Unknown code'],
    ] as const) {
      await scan(code);
      await verdict(title);
      expect(await person.page.$('.scanned .primary')).toBeNull();
    }
  }, 60_000);

  it('a redemption with a lost response is repeated with the same key, and succeeds once', async () => {
    await issued('L-1');
    await person.signIn(account, '#/scan');
    await scan('L-1');
    await verdict('Valid');
    const keys: (string | undefined)[] = [];
    let answers = false;
    const lose = (request: HTTPRequest) => {
      if (!request.url().endsWith('/redeem')) return void request.continue();
      keys.push(request.headers()['idempotency-key']);
      return void (answers ? request.continue() : request.abort('connectionreset'));
    };
    await person.page.setRequestInterception(true);
    person.page.on('request', lose);
    await person.press('.scanned button::-p-text(Redeem)');
    await verdict('Not redeemed');
    answers = true;
    await person.press('.scanned button::-p-text(Redeem)');
    await verdict('Redeemed');
    expect(keys.length).toBeGreaterThan(1);
    expect(new Set(keys).size).toBe(1);
  }, 90_000);

  it('the first scan after a redemption with a lost response admits the holder', async () => {
    await issued('L-2');
    await person.signIn(account, '#/scan');
    await scan('L-2');
    await verdict('Valid');
    let isLossy = true;
    await person.page.setRequestInterception(true);
    person.page.on('request', (request) => {
      if (!isLossy || !request.url().endsWith('/redeem')) return void request.continue();
      const { authorization = '', 'idempotency-key': key = '' } = request.headers();
      const token = authorization.replace('Bearer ', '');
      const sent = service.request('POST', request.url(), { token, headers: { 'Idempotency-Key': key } });
      void sent.then(() => request.abort('connectionreset'));
    });
    await person.press('.scanned button::-p-text(Redeem)');
    await verdict('Not redeemed');
    expect(await redeemedAt('L-2')).toEqual(expect.any(String));
    isLossy = false;
    await person.press('.scanned button::-p-text(Next)');
    await scan('L-2');
    await verdict('Redeemed');
    expect(await person.textOf('.scanned')).toContain('Let the holder in.');
    await scan('L-2');
    await verdict('Already redeemed');
  }, 90_000);

  it('the result of a redemption stays on the screen while the next code is scanned', async () => {
    await issued('R-1');
    await issued('S-1');
    await person.signIn(account, '#/scan');
    await scan('R-1');
    await verdict('Valid');
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await person.page.setRequestInterception(true);
    person.page.on('request', (request) => {
      const held = request.url().endsWith('/redeem') ? released : Promise.resolve();
      void held.then(() => request.continue());
    });
    await person.press('.scanned button::-p-text(Redeem)');
    await scan('S-1');
    const { id } = (await account.get('/v1/pass/concert?code=R-1')).body.data[0] as { id: string };
    expect((await account.post(`/v1/pass/concert/${id}/redeem`)).status).toBe(200);
    release();
    await verdict('Not redeemed');
    expect(await person.textOf('.scanned .facts')).toContain('Holder of R-1');
    await person.press('.scanned button::-p-text(Next)');
    await person.page.waitForSelector('.scanned ::-p-text(Holder of S-1)');
    await verdict('Valid');
  }, 90_000);

  it('a person whose key cannot list templates enters a template id and scans its passes', async () => {
    await issued('K-1');
    const key = await account.apiKey('passes:read', 'passes:write');
    await person.page.goto(`${workbench}#/scan`);
    await person.press('button::-p-text(API key)');
    await person.page.type('input[type=password]', key);
    await person.page.keyboard.press('Enter');
    await person.fill('Template id', 'concert');
    await person.page.keyboard.press('Enter');
    await scan('K-1');
    await verdict('Valid');
    await person.page.setOfflineMode(true);
    expect(await person.textOf('.notice.ended')).toContain('You are offline');
    await person.expectAccessible('scan-offline');
    await person.page.setOfflineMode(false);
    await person.page.waitForSelector('.notice.ended', { hidden: true });
  }, 60_000);

  /**
   * The state of a simulated camera: the codes in sight, the number of its pictures, and how far the clock is ahead.
   */
  interface Film {
    seen: string[];
    pictures: number;
    laterMs: number;
  }
  const film = (changes: Partial<Film>) =>
    person.page.evaluate((next) => Object.assign((globalThis as unknown as { film: Film }).film, next), changes);
  async function useFilm(): Promise<void> {
    await person.page.evaluateOnNewDocument(() => {
      const shown: Film = { seen: [], pictures: 0, laterMs: 0 };
      const now = performance.now.bind(performance);
      performance.now = () => now() + shown.laterMs;
      class BarcodeDetector {
        static getSupportedFormats() {
          return Promise.resolve(['qr_code']);
        }
        detect() {
          shown.pictures += 1;
          return Promise.resolve(shown.seen.map((rawValue) => ({ rawValue })));
        }
      }
      Object.assign(globalThis, { film: shown, BarcodeDetector });
      navigator.mediaDevices.getUserMedia = () => {
        const canvas = document.createElement('canvas');
        canvas.getContext('2d')?.fillRect(0, 0, 10, 10);
        return Promise.resolve(canvas.captureStream(10));
      };
    });
    await person.signIn(account, '#/scan');
    await pressUseTheCamera();
    await person.page.waitForSelector('.camera video');
  }
  async function morePictures(): Promise<void> {
    await film({ pictures: 0 });
    await person.page.waitForFunction(() => (globalThis as unknown as { film: Film }).film.pictures > 5);
  }
  function looksOf(codes: readonly string[]): string[] {
    const looks: string[] = [];
    person.page.on('request', (request) => {
      const code = new URL(request.url()).searchParams.get('code');
      if (code && codes.includes(code)) looks.push(code);
    });
    return looks;
  }

  it('the camera reads a code once while it is in sight, and again when it reappears', async () => {
    await issued('C-1');
    const looks = looksOf(['C-1']);
    await useFilm();
    await film({ seen: ['C-1'] });
    await verdict('Valid');
    await person.press('.scanned button::-p-text(Redeem)');
    await verdict('Redeemed');
    await person.expectAccessible('scan-camera');
    await morePictures();
    await verdict('Redeemed');
    // The result of one holder must not count for another holder who shows the same code.
    await film({ seen: [] });
    await morePictures();
    await verdict('Redeemed');
    await film({ seen: ['C-1'] });
    await verdict('Shown again');
    await person.expectAccessible('scan-shown-again');
    expect(looks).toEqual(['C-1']);
    await film({ laterMs: 3000 });
    await verdict('Already redeemed');
    expect(looks).toEqual(['C-1', 'C-1']);
  }, 90_000);

  it('the camera reads two codes in sight once each, and the screen shows the later one', async () => {
    await issued('D-1');
    await issued('D-2');
    const looks = looksOf(['D-1', 'D-2']);
    await useFilm();
    await film({ seen: ['D-1', 'D-2'] });
    await person.page.waitForSelector('.scanned ::-p-text(Holder of D-2)');
    await morePictures();
    expect(looks).toEqual(['D-1', 'D-2']);
    expect(await person.textOf('.scanned .facts')).toContain('Holder of D-2');
  }, 60_000);

  it('the scanner says why it cannot use the camera', async () => {
    await person.signIn(account, '#/scan');
    await person.page.evaluate(() => Reflect.deleteProperty(globalThis, 'BarcodeDetector'));
    await pressUseTheCamera();
    expect(await person.textOf('.notice.waiting')).toContain('This browser cannot read codes with the camera');
  }, 60_000);
});
