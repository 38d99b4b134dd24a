import type { EndpointJobType } from '../endpoint/completion-request.ts';

/** What the worker knows about one kind of model server. */
export interface ServerKind {
  /** The name that people use for it. */
  readonly name: string;
  /** What its models are offered for, unless the server says more about a model. */
  readonly jobTypes: readonly EndpointJobType[];
  /** How many requests it runs concurrently by default; null if that is not known. The worker may send more. */
  readonly usualSlots: number | null;
}

/** The kinds of model servers that are discovered. */
export const SERVER_KINDS = {
  ollama: { name: 'Ollama', jobTypes: ['chat', 'generate', 'embed'], usualSlots: null },
  'lm-studio': { name: 'LM Studio', jobTypes: ['chat', 'generate', 'embed'], usualSlots: 4 },
  'llama-server': { name: 'llama-server', jobTypes: ['chat', 'generate', 'embed'], usualSlots: null },
  // It has no embeddings.
  'mlx-lm': { name: 'mlx_lm.server', jobTypes: ['chat', 'generate'], usualSlots: 8 },
  omlx: { name: 'oMLX', jobTypes: ['chat', 'generate', 'embed'], usualSlots: null },
  exo: { name: 'exo', jobTypes: ['chat'], usualSlots: null },
  vllm: { name: 'vLLM', jobTypes: ['chat', 'generate', 'embed'], usualSlots: null },
  // It only transcribes speech, which is no job type yet.
  whisper: { name: 'whisper.cpp', jobTypes: [], usualSlots: null },
} as const satisfies Readonly<Record<string, ServerKind>>;

export type ServerKindName = keyof typeof SERVER_KINDS;

/** Where model servers listen unless they are told otherwise. Several share a port, so a port says nothing about its server. */
export const USUAL_SERVER_URLS: readonly string[] = [
  'http://127.0.0.1:11434', // Ollama
  'http://127.0.0.1:1234', // LM Studio
  'http://127.0.0.1:8080', // llama-server, mlx_lm.server, whisper.cpp
  'http://127.0.0.1:9931', // llama-server of newer releases
  'http://127.0.0.1:8000', // oMLX, vLLM
  'http://127.0.0.1:52415', // exo
];
