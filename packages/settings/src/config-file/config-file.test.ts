import { readFileSync } from 'node:fs';
import { messageOf } from '@macbatch/core';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../read-config.ts';
import { WorkerConfig } from '../worker-config.ts';
import { effectiveSettings, withFileSettings } from './effective-settings.ts';
import { FILE_SETTINGS } from './file-settings.ts';
import { parseConfigFile } from './parse-config-file.ts';

const parseText = (text: string) => parseConfigFile(text, (path) => `/etc/${path}`);

function refusalOf(text: string): string {
  try {
    return JSON.stringify(parseText(text));
  } catch (error) {
    return messageOf(error);
  }
}

describe('parseConfigFile', () => {
  it('gives each value to the variable of its setting', () => {
    const { client, worker } = parseText(`
      [client]
      url = "https://pool.example:7420"
      key_file = "client.key"
      allow_http = false

      [worker]
      id = "mini"
      concurrency = 4
      heartbeat_seconds = 2.5
      use_lite = true
      no_proxy = "localhost"
      discover_urls = ["http://127.0.0.1:11500", "http://127.0.0.1:1234"]
      aliases = { qwen3 = "qwen3:8b" }

      [[worker.endpoints]]
      url = "http://127.0.0.1:11434/v1"
      key_file = "ollama.key"
      timeout_ms = 1000
      job_types = ["chat"]
      models = { qwen = "qwen3:8b" }
    `);
    expect(client).toEqual({
      MACBATCH_URL: 'https://pool.example:7420',
      MACBATCH_KEY_FILE: '/etc/client.key',
      MACBATCH_ALLOW_HTTP: '0',
    });
    expect(readConfig(WorkerConfig, worker)).toMatchObject({
      MACBATCH_WORKER_ID: 'mini',
      MACBATCH_CONCURRENCY: 4,
      MACBATCH_HEARTBEAT_SECONDS: 2.5,
      MACBATCH_USE_LITE: true,
      no_proxy: 'localhost',
      MACBATCH_DISCOVER_URLS: ['http://127.0.0.1:11500', 'http://127.0.0.1:1234'],
      MACBATCH_ALIASES: { qwen3: 'qwen3:8b' },
      MACBATCH_ENDPOINTS: [
        {
          url: 'http://127.0.0.1:11434/v1',
          keyFile: '/etc/ollama.key',
          timeoutMs: 1000,
          jobTypes: ['chat'],
          models: { qwen: 'qwen3:8b' },
        },
      ],
    });
  });

  it.each([
    ['[client]\nulr = "x"', '[client] ulr: is no setting; did you mean url?'],
    ['[workers]\nid = "x"', '[workers]: is no section; did you mean worker?'],
    ['[worker]\nzzzzzzzz = 1', '[worker] zzzzzzzz: is no setting; there are url, '],
    ['url = "x"', '[url]: is no section; there are client, worker'],
    ['client = 1', 'client: must be a section, [client]'],
    ['[worker]\nconcurrency = "many"', '[worker] concurrency: must be a number of items'],
    ['[worker]\nconcurrency = [1]', '[worker] concurrency: has the wrong type'],
    ['[worker]\nid = 2026-01-01', '[worker] id: has the wrong type'],
    ['[worker]\nendpoints = "http://h"', '[worker] endpoints: has the wrong type'],
    [
      '[[worker.endpoints]]\nurl = "http://h"',
      '[worker] endpoints.0.models: needs models: alias to model name',
    ],
    [
      '[[worker.endpoints]]\nurl = "u"\nmodels = {}\nmodle = 1',
      '[worker] endpoints.0: has an unknown member',
    ],
  ])('names what is wrong with %j', (text, message) => {
    expect(refusalOf(text)).toContain(message);
  });

  it('names all problems together', () => {
    expect(refusalOf('[worker]\nidd = "x"\n[client]\nurll = "x"').split('\n')).toHaveLength(3);
  });

  it.each([
    '[client]\nkey = "mbk_s3cret"',
    '[worker]\nkey = "mbk_s3cret"',
    '[[worker.endpoints]]\nurl = "http://h"\nmodels = {}\nkey = "s3cret"',
  ])('refuses a key and does not repeat it: %j', (text) => {
    expect(refusalOf(text)).toContain('a key must not be in this file');
    expect(refusalOf(text)).not.toContain('s3cret');
  });

  it('names the line of a syntax error and does not repeat the line', () => {
    expect(refusalOf('[client]\nurl = "a"\nkey = mbk_s3cret"')).toMatch(
      /^The configuration is not right:\n {2}line 3: /,
    );
    expect(refusalOf('[client]\nkey = mbk_s3cret"')).not.toContain('s3cret');
  });
});

describe('effectiveSettings', () => {
  const file = parseText(
    '[client]\nurl = "http://file"\n[worker]\nconcurrency = 3\nhttps_proxy = "http://me:s3cret@proxy:1"',
  );

  it('takes the environment before the file, and the file before the default', () => {
    const env = { MACBATCH_URL: 'http://env', MACBATCH_LEASE_LIMIT: '' };
    expect(withFileSettings(env, 'client', file)).toEqual({ MACBATCH_URL: 'http://env' });
    const found = effectiveSettings(env, file).map(
      ({ section, name, value, source }) => `${section}.${name} ${value} ${source}`,
    );
    expect(found).toEqual(
      expect.arrayContaining([
        'client.url http://env environment',
        'worker.concurrency 3 file',
        'worker.heartbeat_seconds 30 default',
        'worker.lease_limit null default',
        'worker.https_proxy http://proxy:1 file',
      ]),
    );
  });

  it('shows of an endpoint only its URL without secrets', () => {
    const endpoints = [{ url: 'http://me:s3cret@h/v1?key=s3cret', key: 's3cret', models: {} }];
    const [shown] = effectiveSettings({ MACBATCH_ENDPOINTS: JSON.stringify(endpoints) }, file).filter(
      ({ name }) => name === 'endpoints',
    );
    expect(shown?.value).toBe('http://h/v1');
  });
});

it('docs/configuration.md describes every setting', () => {
  const text = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');
  for (const [section, settings] of Object.entries(FILE_SETTINGS)) {
    const described = (text.split(`## [${section}]`)[1]?.split('\n## ')[0] ?? '').matchAll(
      /^\| `(\w+)` \| `(\w+)` \|/gm,
    );
    expect(Array.from(described, ([, name, variable]) => [name, variable])).toEqual(
      settings.map(({ name, variable }) => [name, variable]),
    );
  }
});
