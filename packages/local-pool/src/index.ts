export { type ChildProgram, runInPlace, startProgram } from './child-program.ts';
export { type LocalPool, startLocalPool } from './local-pool.ts';
