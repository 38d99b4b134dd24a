import { elements, member } from '../json-value.ts';

/**
 * Whether a `GET /models` reply lists the model; `undefined` when the reply is not a list of models. Ollama lists the
 * model `llama3.2` as `llama3.2:latest`.
 */
export function listsModel(body: unknown, model: string): boolean | undefined {
  const data = member(body, 'data');
  if (!Array.isArray(data)) return undefined;
  return data.some((entry) => isSameModel(member(entry, 'id'), model));
}

/** The digest of a model in a reply of Ollama's `GET /api/tags`: SHA-256 of its manifest. Null if the reply has no digest. */
export function ollamaDigest(body: unknown, model: string): string | null {
  const entry = elements(member(body, 'models')).find((one) => isSameModel(member(one, 'name'), model));
  const digest = member(entry, 'digest');
  return typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest) ? `sha256:${digest}` : null;
}

function isSameModel(listed: unknown, asked: string): boolean {
  return listed === asked || listed === `${asked}:latest`;
}
