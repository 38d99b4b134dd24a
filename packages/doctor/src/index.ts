export { drawFindings } from './draw-findings.ts';
export { examineControl } from './examine-control.ts';
export { examineMachine } from './examine-machine.ts';
export { examineModels } from './examine-models.ts';
export { type Finding, finding } from './finding.ts';
export { OLDEST_NODE } from './judge-machine.ts';
