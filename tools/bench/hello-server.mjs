/**
 * A server with the smallest response of NestJS on Express. Its cost is the framework's share of every request. If
 * there is a database, the route /one also makes one round trip to it.
 */
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import pg from 'pg';

const pool = process.env.DATABASE_URL && new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });

class HelloController {
  hello() {
    return 'hello';
  }

  async one() {
    const { rows } = await pool.query({ name: 'one', text: 'SELECT 1 AS one' });
    return rows[0];
  }
}
for (const [method, path] of [
  ['hello', '/'],
  ['one', '/one'],
]) {
  Get(path)(HelloController.prototype, method, Object.getOwnPropertyDescriptor(HelloController.prototype, method));
}
Controller()(HelloController);

class HelloModule {}
Module({ controllers: [HelloController] })(HelloModule);

const app = await NestFactory.create(HelloModule, { logger: false });
await app.listen(0, '127.0.0.1');
process.send(`http://127.0.0.1:${app.getHttpServer().address().port}/`);
process.once('SIGTERM', () => process.exit());
