import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from './config/config.js';
import { standardOutput } from './log-output.js';
import { announce } from './welcome.js';

const warn = jest.fn();
jest.mock('./logging.js', () => ({ createLogger: () => ({ warn: (text: string) => void warn(text) }) }));

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'passwright welcome '));
  jest.spyOn(standardOutput(), 'write').mockReturnValue();
});
afterEach(() => {
  jest.restoreAllMocks();
  warn.mockReset();
  rmSync(dataDir, { recursive: true });
});

const config = (production: boolean) => ({ ...loadConfig({ DATA_DIR: dataDir }), production });

describe('announce', () => {
  it.each([true, false])('`announce` warns in production that e-mails are stored as files (quiet: %p)', (quiet) => {
    announce(config(true), 3000, quiet);
    expect(warn).toHaveBeenCalledWith(expect.stringMatching(/^SMTP_URL is not set/));
    expect(standardOutput().write).not.toHaveBeenCalled();
  });

  it('`announce` prints the next steps in development unless `quiet` is set', () => {
    announce(config(false), 3000, true);
    expect(standardOutput().write).not.toHaveBeenCalled();
    announce(config(false), 3000, false);
    expect(standardOutput().write).toHaveBeenCalledWith(expect.stringContaining('Passwright is ready.'));
    expect(warn).not.toHaveBeenCalled();
  });
});
