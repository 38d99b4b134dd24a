export { drawFindings } from './draw-findings.ts';
export { examineControl } from './examine-control.ts';
export { examineMachine } from './examine-machine.ts';
export { examineModels, MODEL_SERVER_PORTS } from './examine-models.ts';
export { type Finding, finding } from './finding.ts';
export { OLDEST_NODE } from './judge-machine.ts';
export { type ExaminedService, examineInstallation, examineMac } from './mac/examine-mac.ts';
