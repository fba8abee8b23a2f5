// What operators do with running upstreams, and previews of prices and routes.
import { previewPrice } from '../../administration/previews/price-preview.ts'
import { previewRoute } from '../../administration/previews/route-preview.ts'
import {
  PRICE_PREVIEW,
  ROUTE_PREVIEW,
  UPSTREAM_MODELS,
  UPSTREAM_STATE,
  UPSTREAM_TEST,
} from '../../administration/resources/upstreams.ts'
import { discoverModels } from '../../administration/upstreams/models.ts'
import { showUpstreamState } from '../../administration/upstreams/state.ts'
import {
  disableUpstream,
  drainUpstream,
  enableUpstream,
  resetUpstream,
} from '../../administration/upstreams/switches.ts'
import { testUpstream } from '../../administration/upstreams/test.ts'
import type { AdminRoutes } from './route.ts'

const REASON = { body: { reason: 'maintenance' } }

export const UPSTREAM_OPERATION_ROUTES = {
  'GET upstreams/{upstream}/state': {
    operation: showUpstreamState,
    summary: 'Shows the switch, the circuit breaker, cool-downs and running requests of an upstream',
    output: UPSTREAM_STATE,
  },
  'POST upstreams/{upstream}/enable': {
    operation: enableUpstream,
    summary: 'Gives an upstream requests again',
    output: UPSTREAM_STATE,
    example: REASON,
  },
  'POST upstreams/{upstream}/disable': {
    operation: disableUpstream,
    summary: 'Gives an upstream no new requests; running ones and tasks go on',
    output: UPSTREAM_STATE,
    example: REASON,
  },
  'POST upstreams/{upstream}/drain': {
    operation: drainUpstream,
    summary: 'Gives an upstream no new requests, to take it away when the last one has ended',
    output: UPSTREAM_STATE,
    example: REASON,
  },
  'POST upstreams/{upstream}/reset': {
    operation: resetUpstream,
    summary: 'Closes the circuit breaker and ends the cool-downs of an upstream, on all nodes',
    output: UPSTREAM_STATE,
    example: REASON,
  },
  'POST upstreams/{upstream}/test': {
    operation: testUpstream,
    summary: 'Calls an upstream with each of its keys, and books the cost to the ledger account tests',
    output: UPSTREAM_TEST,
    example: { body: { model: 'gpt-x', estimate: true } },
  },
  'GET upstreams/{upstream}/models': {
    operation: discoverModels,
    summary: 'Compares the models that an upstream lists with those that are configured',
    output: UPSTREAM_MODELS,
  },
  'POST models/{model}/price-preview': {
    operation: previewPrice,
    summary: 'Computes what a request would cost, with its formula',
    output: PRICE_PREVIEW,
    example: { body: { group: 'default', units: { input: 1200, output: 300 } } },
  },
  'GET models/{model}/route-preview': {
    operation: previewRoute,
    summary: 'Shows where a request of a key would go now, and why not elsewhere',
    output: ROUTE_PREVIEW,
    example: { query: 'group=default' },
  },
} as const satisfies AdminRoutes
