/**
 * The process of the service under `npm run dev`. It loads large packages in advance, because they rarely change and
 * take half of the start. The service starts when this process receives the service's arguments.
 */
const { join } = require('node:path');

/** The packages that take longest to load. The service loads all others when it starts. */
const packages = [
  '@modelcontextprotocol/node',
  '@modelcontextprotocol/server',
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/swagger',
  '@nestjs/typeorm',
  'ajv',
  'class-transformer',
  'class-validator',
  'express',
  'graphile-worker',
  'jsonwebtoken',
  'luxon',
  'markdown-it',
  'nodemailer',
  'pg',
  'pino',
  'prom-client',
  'rate-limiter-flexible',
  'sharp',
  'typeorm',
  'undici',
  'zod',
];

process.once('message', (words) => {
  process.argv.push(.../** @type {string[]} */ (words));
  require(join(__dirname, '..', 'apps', 'api', 'dist', 'main.js'));
});
for (const name of packages) require(name);
