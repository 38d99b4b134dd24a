import { classifyLabels } from './classify-labels.ts';
import type { JobType } from './job-type.ts';
import { type ParamProblem, valueKind } from './param-value.ts';
import { REQUEST_ENDPOINTS, requestEndpoint } from './work-type.ts';

type Params = Readonly<Record<string, unknown>>;

/** What a template replaces by the text of an item. */
export const TEMPLATE_PLACEHOLDER = '{{text}}';

/** Params of a request to a model server that a job cannot set, with the reason. */
const RESERVED: Readonly<Record<string, string>> = {
  model: 'the job names the model in its own field',
  messages: 'messages are the payload of an item',
  prompt: 'the prompt is the payload of an item',
  input: 'the input is the payload of an item',
  stream_options: 'an outcome is one whole answer',
};

/** Params that a job may set to one value only: the value that changes nothing. */
const FIXED: Readonly<Record<string, { readonly value: unknown; readonly why: string }>> = {
  stream: { value: false, why: 'an outcome is one whole answer' },
  n: { value: 1, why: 'an item has one answer' },
};

/** The params of job types that take no others. */
const CLOSED: { readonly [Type in JobType]?: readonly string[] } = {
  classify: ['labels'],
  embed: ['dimensions', 'encoding_format', 'template', 'user', ...Object.keys(FIXED)],
  request: ['endpoint'],
};

/** Job types without params that go to a model server. */
const OWN_PARAMS_ONLY: readonly JobType[] = ['classify', 'request'];

/**
 * Finds the first problem of a job's params that would fail every item: an unknown name where names are closed
 * (`classify`, `embed` and `request`), a value that macbatch itself cannot use, or a param that a model server would obey and
 * macbatch could not, such as a stream. The server checks the other params of `chat` and `generate`.
 */
export function paramProblem(jobType: JobType, params: Params): ParamProblem | null {
  if (jobType === 'noop') return null;
  const names = Object.keys(params);
  return (
    (OWN_PARAMS_ONLY.includes(jobType) ? null : firstOf(names, (name) => reserved(name, params[name]))) ??
    firstOf(names, (name) => unknownName(jobType, name)) ??
    firstOf(names, (name) => badValue(jobType, name, params[name])) ??
    (jobType === 'classify' ? labelsProblem(params) : null) ??
    (jobType === 'request' ? endpointProblem(params) : null)
  );
}

function firstOf(names: readonly string[], problemOf: (name: string) => string | null): ParamProblem | null {
  for (const name of names) {
    const problem = problemOf(name);
    if (problem !== null) return { path: `params.${name}`, problem };
  }
  return null;
}

function reserved(name: string, value: unknown): string | null {
  if (Object.hasOwn(RESERVED, name)) return `not allowed, ${RESERVED[name]}`;
  const fixed = Object.hasOwn(FIXED, name) ? FIXED[name] : undefined;
  const changesNothing = fixed === undefined || value === fixed.value || value === null;
  return changesNothing ? null : `not allowed, ${fixed.why}`;
}

function unknownName(jobType: JobType, name: string): string | null {
  const known = CLOSED[jobType];
  if (known === undefined || known.includes(name)) return null;
  return `not known for ${jobType}, which takes ${known.filter((each) => !Object.hasOwn(FIXED, each)).join(', ')}`;
}

function badValue(jobType: JobType, name: string, value: unknown): string | null {
  if (name === 'system' && jobType !== 'chat') return 'only chat takes a system message';
  if (name === 'system' && typeof value !== 'string') return `expected a string, got ${valueKind(value)}`;
  if (name === 'template' && (typeof value !== 'string' || !value.includes(TEMPLATE_PLACEHOLDER)))
    return `expected a string that contains ${TEMPLATE_PLACEHOLDER}`;
  if (name === 'encoding_format' && jobType === 'embed' && value !== 'float' && value !== null)
    return 'expected "float", as outcomes hold lists of numbers';
  return null;
}

function endpointProblem({ endpoint }: Params): ParamProblem | null {
  if (requestEndpoint(endpoint) !== null) return null;
  const got = typeof endpoint === 'string' ? JSON.stringify(endpoint.slice(0, 100)) : valueKind(endpoint);
  return { path: 'params.endpoint', problem: `expected one of ${REQUEST_ENDPOINTS.join(', ')}, got ${got}` };
}

function labelsProblem(params: Params): ParamProblem | null {
  const labels = classifyLabels(params);
  return labels.ok ? null : labels.problem;
}
