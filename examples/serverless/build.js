// Bundles the handler for platforms that load ES modules and for those that load CommonJS.
import { build } from 'esbuild';

for (const [format, extension] of Object.entries({ esm: 'mjs', cjs: 'cjs' })) {
  await build({
    entryPoints: ['handler.js'],
    outfile: `dist/handler.${extension}`,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format,
    // Bundled CommonJS libraries need a `require` for Node's own modules, which an ES module does not have.
    banner:
      format === 'esm'
        ? { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" }
        : {},
    logLevel: 'warning',
  });
}
