import type { MigrationInterface, QueryRunner } from 'typeorm';

const holders = `
-- Finds the mails to an address, for the export and the erasure of a holder.
CREATE INDEX pass_mail_to_idx ON pass_mail (account_id, lower(recipient), template_id, pass_id);
`;

/*
 * Stored images are named by their content, so passes and templates can share one. A writer takes a lease on an image
 * before it stores or references it. The service deletes an image only if it has no lease and no reference
 * (docs/decisions/0008).
 */
const images = `
CREATE TABLE image_hold (
  account_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  until timestamptz(3) NOT NULL,
  -- True for an upload, which a template or pass may use much later.
  upload boolean NOT NULL,
  -- True while the image is being deleted. A request that wants a lease waits until the row is gone.
  deleting boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, key)
);
CREATE INDEX image_hold_until_idx ON image_hold (until);

-- The hashes of the source of a prepared image and of its sizes, each after the account.
CREATE FUNCTION image_names(account text, image jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ARRAY(
    SELECT account || '/' || substring(file->>'key' FROM '[0-9a-f]{64}') FROM jsonb_array_elements(image->'files') AS file
  ) || (account || '/' || (image->>'source'))
$$;
CREATE INDEX pass_thumbnail_idx ON pass USING gin (image_names(account_id, thumbnail)) WHERE thumbnail IS NOT NULL;
-- Shows in one step if any other pass has the same image, even if very many passes have it.
CREATE INDEX pass_thumbnail_source_idx ON pass (account_id, (thumbnail->>'source')) WHERE thumbnail IS NOT NULL;
`;

/** Adds the columns and indexes for finding and erasing all data of a holder. */
export class Privacy1763920800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [holders, images]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX pass_mail_to_idx, pass_thumbnail_idx, pass_thumbnail_source_idx;
      DROP FUNCTION image_names;
      DROP TABLE image_hold;`);
  }
}
