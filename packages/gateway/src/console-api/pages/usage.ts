// Overview and Usage: sums over time, requests and their receipts.
import { csvResponse } from '../../http-api/files/file-response.ts'
import type { HandlersOf } from '../handlers-of.ts'
import type { USAGE_ROUTES } from '../routes/usage.ts'
import { showBreakdown } from './breakdown.ts'
import { showOverview } from './overview.ts'
import { listRejected } from './rejected-requests.ts'
import { listRequests, requestLines, showRequestReceipt, showSeries } from './requests.ts'

export const USAGE_HANDLERS: HandlersOf<typeof USAGE_ROUTES> = {
  'GET overview': showOverview,
  'GET usage': (call, deps) => showSeries(call, call.query, deps),
  'GET usage/breakdown': (call, deps) => showBreakdown(call, call.query, deps),
  'GET requests': (call, deps) => listRequests(call, call.query, deps),
  'GET requests.csv': (call, deps) => csvResponse(call, 'requests', requestLines(call, call.query, deps), deps),
  'GET requests/{id}': (call, deps) => showRequestReceipt(call, call.parameters.id, deps),
  'GET rejected-requests': (call, deps) => listRejected(call, call.query, deps),
}
