import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the images that each account stores, and the sum of their bytes. */
export class StoredImages1764200060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE stored_image (
        account_id text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        size_bytes integer NOT NULL,
        PRIMARY KEY (account_id, key)
      );
      CREATE TABLE image_usage (
        account_id text COLLATE "C" PRIMARY KEY,
        size_bytes bigint NOT NULL
      ) WITH (fillfactor = 50)`);
    // Count the images of templates. Other images from before this migration count only after they are stored again.
    await runner.query(`
      INSERT INTO stored_image (account_id, key, size_bytes)
        SELECT DISTINCT ON (1, 2) account_id, file->>'key', COALESCE((file->>'sizeBytes')::integer, 0)
        FROM template, jsonb_each(images) AS image, jsonb_array_elements(image.value->'files') AS file;
      INSERT INTO image_usage (account_id, size_bytes)
        SELECT account_id, sum(size_bytes) FROM stored_image GROUP BY account_id`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE stored_image, image_usage');
  }
}
