import { TASK_STATUSES, type TaskStatus } from '@macbatch/core';
import { knownValue } from '../database/known-value.ts';

/** A task status as the database returns it. */
export const parseTaskStatus = (text: string): TaskStatus => knownValue(TASK_STATUSES, text);
