// Requests, tasks, usage, transfers, nodes and jobs: what operators look at.
import { listJobs, listNodes } from '../../administration/operating/cluster.ts'
import { listRejectedRequests } from '../../administration/rejected-requests.ts'
import { showRequest } from '../../administration/reports/find.ts'
import { listRequests } from '../../administration/reports/requests.ts'
import { listTasks, showTask } from '../../administration/reports/tasks.ts'
import { listTransfers } from '../../administration/reports/transfers.ts'
import { reportUsage } from '../../administration/reports/usage.ts'
import {
  JOB,
  LISTED_REQUEST,
  NODE,
  REJECTED_REQUESTS,
  REQUEST_SHOWN,
  TASK_SHOWN,
  TRANSFER,
  USAGE_SUMS,
} from '../../administration/resources/traffic.ts'
import { refundRequest } from '../../administration/traffic/refund.ts'
import { cancelOperatedTask, queryTask, releaseTask } from '../../administration/traffic/task-acts.ts'
import type { AdminRoutes } from './route.ts'

export const TRAFFIC_ROUTES = {
  'GET requests': {
    operation: listRequests,
    summary: 'Lists requests, newest first',
    output: LISTED_REQUEST,
    list: true,
    isShared: true,
    csv: true,
    example: { query: 'outcome=errors&model=sandbox-text' },
  },
  'GET rejected-requests': {
    operation: listRejectedRequests,
    summary: 'Lists counts of requests that were rejected before a hold, by key, error code and minute, newest first',
    output: REJECTED_REQUESTS,
    list: true,
    csv: true,
  },
  'GET requests/{request}': { operation: showRequest, summary: 'Shows a request', output: REQUEST_SHOWN },
  'POST requests/{request}/refund': {
    operation: refundRequest,
    summary: 'Refunds the cost of a request, or a part of it',
    output: REQUEST_SHOWN,
    reference: 'id',
    example: { body: { reason: 'The response was cut off.' } },
  },
  'GET tasks': {
    operation: listTasks,
    summary: 'Lists tasks, newest first',
    output: TASK_SHOWN,
    list: true,
    isShared: true,
    csv: true,
  },
  'GET tasks/{task}': { operation: showTask, summary: 'Shows a task', output: TASK_SHOWN },
  'POST tasks/{task}/cancel': {
    operation: cancelOperatedTask,
    summary: 'Cancels a queued task at its upstream; nothing is charged',
    output: TASK_SHOWN,
  },
  'POST tasks/{task}/query': {
    operation: queryTask,
    summary: 'Queries the upstream for the state of a task now',
    output: TASK_SHOWN,
  },
  'POST tasks/{task}/release': {
    operation: releaseTask,
    summary: 'Ends a task and its hold: one that has finished is charged, any other is not',
    output: TASK_SHOWN,
  },
  'GET usage': {
    operation: reportUsage,
    summary: 'Adds up requests, tokens and charges by account, key, model, upstream, outcome, day or hour',
    output: USAGE_SUMS,
    list: true,
    csv: true,
    example: { query: 'group_by=account,day' },
  },
  'GET ledger/transfers': {
    operation: listTransfers,
    summary: 'Lists movements in the ledger, newest first',
    output: TRANSFER,
    list: true,
    csv: true,
    example: { query: 'kind=credit' },
  },
  'GET nodes': { operation: listNodes, summary: 'Lists the nodes that are alive', output: NODE, list: true },
  'GET jobs': {
    operation: listJobs,
    summary: 'Lists background jobs with their last run',
    output: JOB,
    list: true,
  },
} as const satisfies AdminRoutes
