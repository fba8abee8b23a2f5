import type { ApiError } from '../../../api/client.ts'

/** How a call went. Times are in milliseconds, as this browser saw them. */
export type Outcome = {
  state: 'running' | 'done' | 'stopped' | 'failed'
  error?: ApiError
  requestId?: string
  firstMs?: number
  totalMs?: number
}

export const failed = (error: ApiError): Pick<Outcome, 'state' | 'error'> =>
  error.code === 'aborted' ? { state: 'stopped' } : { state: 'failed', error }
