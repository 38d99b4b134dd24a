import { z } from 'zod';
import { ConnectionConfig } from './connection-config.ts';
import { flag } from './flag.ts';
import { programName } from './program-name.ts';
import { ProxyConfig } from './proxy-config.ts';

const seconds = z.coerce.number('must be a number of seconds').min(0).max(3600);

/** The control plane's limit. */
const MAX_ALIAS_LENGTH = 200;

const isAlias = (alias: string) => alias !== '' && alias.length <= MAX_ALIAS_LENGTH;
const ALIAS_PROBLEM = `an alias has 1 to ${MAX_ALIAS_LENGTH} characters`;

const Endpoint = z.strictObject({
  url: z.string('needs a url').min(1),
  key: z.string().optional(),
  /** A file that contains the API key. */
  keyFile: z.string().optional(),
  headers: z.record(z.string(), z.string(), 'maps names of headers to values').optional(),
  /** A file of headers, one a line, for values that must not be in the environment. */
  headersFile: z.string().optional(),
  models: z
    .record(z.string(), z.string(), 'needs models: alias to model name')
    .refine((models) => Object.keys(models).every(isAlias), ALIAS_PROBLEM),
  jobTypes: z.array(z.enum(['chat', 'generate', 'embed'])).optional(),
  timeoutMs: z.number().int().positive().optional(),
  finishReasons: z.record(z.string(), z.string(), 'maps own finish reasons to known ones').optional(),
});

function json(expected: string) {
  return z.string().transform((text, ctx) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      ctx.addIssue(expected);
      return z.NEVER;
    }
  });
}

const Endpoints = json('must be a JSON array of endpoints').pipe(z.array(Endpoint));

const ALIASES_EXPECTED = 'must be a JSON object: alias to model name';
const Aliases = json(ALIASES_EXPECTED).pipe(
  z
    .record(z.string(), z.string(), ALIASES_EXPECTED)
    .refine((aliases) => Object.keys(aliases).every(isAlias), ALIAS_PROBLEM),
);

/** Addresses with commas between them. */
const Addresses = z.string().transform((text, ctx) =>
  text.split(',').map((each) => {
    const url = URL.parse(each.trim());
    if (url?.protocol === 'http:' && url.pathname === '/' && url.username === '') return url.origin;
    ctx.addIssue('must be addresses such as http://127.0.0.1:11434, with commas between them');
    return z.NEVER;
  }),
);

/** The variables of a worker. */
export const WorkerConfig = z.object({
  /** The path of the configuration file. */
  MACBATCH_CONFIG: z.string().optional(),
  MACBATCH_CONTROL_URL: z.url('must be the URL of a control plane').optional(),
  ...ConnectionConfig.shape,
  MACBATCH_JOIN_TOKEN: z.string().optional(),
  MACBATCH_WORKER_ID: programName.optional(),
  MACBATCH_CONCURRENCY: z.coerce.number('must be a number of items').int().min(1).max(1000).default(8),
  /** Runs at most half as many items as it could. */
  MACBATCH_GENTLE: flag.default(false),
  MACBATCH_LEASE_LIMIT: z.coerce.number('must be a number of tasks').int().min(1).max(1000).optional(),
  MACBATCH_ENDPOINTS: Endpoints.default([]),
  /** Looks for model servers on this machine if no endpoint is set. */
  MACBATCH_DISCOVER: flag.default(true),
  MACBATCH_DISCOVER_URLS: Addresses.optional(),
  /** From an alias to the name of a model, for discovered servers. */
  MACBATCH_ALIASES: Aliases.default({}),
  ...ProxyConfig.shape,
  MACBATCH_USE_LITE: flag.default(true),
  MACBATCH_NOOP: flag.default(false),
  MACBATCH_GRACE_SECONDS: seconds.default(10),
  MACBATCH_STATE_DIR: z.string().optional(),
  PROBE_STATE: z.string().optional(),
  MACBATCH_HEARTBEAT_SECONDS: seconds.min(0.1, 'must be at least 0.1').default(30),
});
export type WorkerConfig = z.output<typeof WorkerConfig>;
