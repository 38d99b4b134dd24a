import { Problem } from '../problem.ts';

/** The reply of every route to a request that it refuses. */
export const refused = {
  default: {
    description: 'Problem details of a refused request',
    content: { 'application/problem+json': { schema: Problem } },
  },
};
