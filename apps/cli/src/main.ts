#!/usr/bin/env node
import { Command } from 'commander';

void new Command('passwright').description('Passwright’s command line').parseAsync();
