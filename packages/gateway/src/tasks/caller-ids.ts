// By what the caller knows a request that becomes a task: kept with the task, since its receipt is written long after the request.
import type { RequestRecord } from '../observe/request-record.ts'
import type { TaskData } from './task.ts'

export type CallerIds = Pick<TaskData, 'clientRequestId' | 'parent' | 'attribution'>

export function callerIdsOf({
  clientRequestId,
  trace,
  attribution,
}: Pick<RequestRecord, 'clientRequestId' | 'trace' | 'attribution'>): CallerIds {
  const parent = trace?.parent
  return {
    ...(clientRequestId === undefined ? {} : { clientRequestId }),
    ...(parent ? { parent } : {}),
    ...(attribution ? { attribution } : {}),
  }
}

/** The record of what the task does itself. */
export function noteCallerIds(record: RequestRecord, { clientRequestId, parent, attribution }: CallerIds): void {
  record.attribution = attribution
  record.clientRequestId = clientRequestId
  if (parent) record.trace = { parent, own: undefined }
}
