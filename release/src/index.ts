export { bundleMacbatch } from './bundle.ts';
