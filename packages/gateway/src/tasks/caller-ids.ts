// By what the caller knows a request that becomes a task: kept with the task, since its receipt is written long after the request.
import type { RequestRecord } from '../observe/request-record.ts'
import type { TaskData } from './task.ts'

export type CallerIds = Pick<TaskData, 'clientRequestId' | 'parent'>

export function callerIdsOf({ clientRequestId, trace }: Pick<RequestRecord, 'clientRequestId' | 'trace'>): CallerIds {
  const parent = trace?.parent
  return { ...(clientRequestId === undefined ? {} : { clientRequestId }), ...(parent ? { parent } : {}) }
}

/** The record of what the task does itself. */
export function noteCallerIds(record: RequestRecord, { clientRequestId, parent }: CallerIds): void {
  record.clientRequestId = clientRequestId
  if (parent) record.trace = { parent, own: undefined }
}
