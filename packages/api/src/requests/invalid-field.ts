import type { z } from '@hono/zod-openapi';
import { RefusedRequest } from './refused-request.ts';

/** Names the first invalid field by its path, such as `items[3].id`. */
export function invalidField(error: z.core.$ZodError, where: string | null = null): RefusedRequest {
  const issue = deepest(error.issues);
  if (issue === undefined)
    return new RefusedRequest('invalid_field', 'The request does not match the contract.');
  const field = pathText(issue.path) || issueKey(issue);
  const name = where === null ? field : field === '' ? where : `${where} ${field}`;
  return new RefusedRequest(
    'invalid_field',
    `${name === '' ? 'The body' : name}: ${issue.message}`,
    field === '' ? {} : { field },
  );
}

/** For a union, picks the issue of the branch that matched furthest. */
function deepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const [issue] = issues;
  if (issue?.code !== 'invalid_union') return issue;
  const branches = issue.errors.map((branch) => deepest(branch)).filter((inner) => inner !== undefined);
  const furthest = branches.reduce<z.core.$ZodIssue | undefined>(
    (best, inner) => (best === undefined || inner.path.length > best.path.length ? inner : best),
    undefined,
  );
  return furthest === undefined ? issue : { ...furthest, path: [...issue.path, ...furthest.path] };
}

function issueKey(issue: z.core.$ZodIssue): string {
  return issue.code === 'unrecognized_keys' ? (issue.keys[0] ?? '') : '';
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`,
    '',
  );
}
