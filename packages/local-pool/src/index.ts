export { type ChildProgram, programOutput, runInForeground, startProgram } from './child-program.ts';
export { isEmbeddedModelInstalled } from './embedded-model.ts';
export { type LocalPool, startLocalPool } from './local-pool.ts';
export { programPath } from './program-path.ts';
