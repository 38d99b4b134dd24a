import { isWebPage, pageText } from '../endpoint/web-page.ts';
import { elements, isRecord, member } from '../json-value.ts';
import type { FoundModel } from './found-model.ts';
import { llamaServerModels, lmStudioModels, ollamaModels, openAiModels } from './listed-by-server.ts';
import { SERVER_KINDS, type ServerKindName } from './server-kinds.ts';

/** The paths that tell the kinds of servers apart. */
export const IDENTIFYING_PATHS = [
  '/v1/models',
  '/api/version',
  '/api/tags',
  '/api/ps',
  '/api/v1/models',
  '/api/v0/models',
  '/props',
  '/health',
  '/',
] as const;
export type IdentifyingPath = (typeof IDENTIFYING_PATHS)[number];

/** What a server answered to one request. */
export interface Answer {
  readonly status: number;
  /** The body of a 200; undefined if it is not JSON. */
  readonly json: unknown;
  /** The beginning of the body. */
  readonly text: string;
}

/** What a server answered to each path. A path without an answer is missing. */
export type Answers = Readonly<Partial<Record<IdentifyingPath, Answer>>>;

/** What listens at an address. */
export type Identity =
  | {
      readonly kind: ServerKindName;
      readonly models: readonly FoundModel[];
      /** It loads its model and lists none yet. */
      readonly isLoading: boolean;
    }
  /** No known model server. `problem` says what it looks like. */
  | { readonly kind: null; readonly problem: string };

interface IdentityRule {
  readonly kind: ServerKindName;
  /** What the rule reads. A server of a known kind is asked for nothing else. */
  readonly paths: readonly IdentifyingPath[];
  readonly matches: (answers: Answers) => boolean;
  readonly models: (answers: Answers) => readonly FoundModel[];
}

/** A server that says its own name as the owner of its models. */
const ownerRule = (kind: ServerKindName, owner: string, contextMember: string): IdentityRule => ({
  kind,
  paths: ['/v1/models'],
  matches: (answers) => isOwnedBy(answers, owner),
  models: (answers) => openAiModels(json(answers, '/v1/models'), SERVER_KINDS[kind].jobTypes, contextMember),
});

/** The first rule that matches decides. */
const IDENTITY_RULES: readonly IdentityRule[] = [
  {
    kind: 'ollama',
    paths: ['/api/version', '/api/tags', '/api/ps'],
    matches: (answers) =>
      typeof member(json(answers, '/api/version'), 'version') === 'string' &&
      Array.isArray(member(json(answers, '/api/tags'), 'models')),
    models: (answers) => ollamaModels(json(answers, '/api/tags'), json(answers, '/api/ps')),
  },
  {
    kind: 'lm-studio',
    paths: ['/api/v1/models', '/api/v0/models'],
    matches: (answers) =>
      Array.isArray(member(json(answers, '/api/v1/models'), 'models')) ||
      elements(member(json(answers, '/api/v0/models'), 'data')).some(
        (entry) => typeof member(entry, 'state') === 'string',
      ),
    models: (answers) => lmStudioModels(json(answers, '/api/v1/models'), json(answers, '/api/v0/models')),
  },
  {
    kind: 'llama-server',
    paths: ['/v1/models', '/props'],
    matches: (answers) =>
      isOwnedBy(answers, 'llamacpp') ||
      isLoading(answers) ||
      (isList(answers) && member(json(answers, '/props'), 'total_slots') !== undefined),
    models: (answers) => llamaServerModels(json(answers, '/v1/models'), json(answers, '/props')),
  },
  ownerRule('omlx', 'omlx', 'max_model_len'),
  ownerRule('exo', 'exo', 'context_length'),
  ownerRule('vllm', 'vllm', 'max_model_len'),
  {
    kind: 'mlx-lm',
    paths: ['/v1/models', '/health'],
    matches: (answers) => {
      const health = json(answers, '/health');
      const models = elements(member(json(answers, '/v1/models'), 'data'));
      return (
        isList(answers) &&
        isRecord(health) &&
        JSON.stringify(health) === '{"status":"ok"}' &&
        // It names no owner of its models.
        models.every((entry) => member(entry, 'owned_by') === undefined)
      );
    },
    models: (answers) => openAiModels(json(answers, '/v1/models'), SERVER_KINDS['mlx-lm'].jobTypes),
  },
  {
    kind: 'whisper',
    paths: ['/'],
    matches: (answers) => answers['/']?.text.includes('<title>Whisper.cpp Server</title>') === true,
    models: () => [],
  },
];

/** Says what listens at an address, from its answers alone. */
export function identify(answers: Answers): Identity {
  const rule = IDENTITY_RULES.find(({ matches }) => matches(answers));
  if (rule === undefined) return { kind: null, problem: problemOf(answers) };
  return { kind: rule.kind, models: rule.models(answers), isLoading: isLoading(answers) };
}

/** The paths that show whether a server is still of this kind, and its models. */
export function pathsOf(kind: ServerKindName): readonly IdentifyingPath[] {
  return IDENTITY_RULES.find((rule) => rule.kind === kind)?.paths ?? IDENTIFYING_PATHS;
}

function json(answers: Answers, path: IdentifyingPath): unknown {
  return answers[path]?.json;
}

function isList(answers: Answers): boolean {
  return Array.isArray(member(json(answers, '/v1/models'), 'data'));
}

function isOwnedBy(answers: Answers, owner: string): boolean {
  return elements(member(json(answers, '/v1/models'), 'data')).some(
    (entry) => member(entry, 'owned_by') === owner,
  );
}

/** llama-server answers every request like this while it loads its model. */
function isLoading(answers: Answers): boolean {
  const list = answers['/v1/models'];
  return list?.status === 503 && list.text.includes('unavailable_error') && /loading model/i.test(list.text);
}

function problemOf(answers: Answers): string {
  const answer = answers['/v1/models'] ?? Object.values(answers)[0];
  if (answer === undefined) return 'it does not answer';
  if (answer.status === 401 || answer.status === 403) return `it asks for a key (status ${answer.status})`;
  const page = [answer, answers['/']].find((each) => each !== undefined && isWebPage(each.text));
  if (page !== undefined) return `it shows a web page: ${pageText(page.text).slice(0, MAX_EXCERPT_LENGTH)}`;
  if (isList(answers)) return 'it lists models, but is none of the servers that macbatch knows';
  return `its answer is no list of models (status ${answer.status})`;
}

/** Longest part of a web page in a problem, in characters. */
const MAX_EXCERPT_LENGTH = 100;
