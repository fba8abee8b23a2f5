// What accounts spend, for the console, on both engines.
import type { Spending } from '../../spending.ts'
import type { Connection } from '../statements.ts'

export function spendingOver(_connection: Connection): Spending {
  const missing = () => Promise.reject(new Error('spending is not stored yet'))
  return {
    ...{ series: missing, requests: missing, openRequests: missing, history: missing, lastUsed: missing },
    ...{ addLatencies: missing, latencies: missing, sweepLatencies: missing },
  }
}
