// What operators do with running upstreams, and previews of prices and routes.
import { previewPrice } from '../../administration/previews/price-preview.ts'
import { proposePrices } from '../../administration/previews/price-proposals.ts'
import { previewRoute } from '../../administration/previews/route-preview.ts'
import {
  PRICE_PREVIEW,
  PRICE_PROPOSALS,
  ROUTE_PREVIEW,
  UPSTREAM_DRAFT_MODELS,
  UPSTREAM_FIGURES,
  UPSTREAM_KIND,
  UPSTREAM_MODELS,
  UPSTREAM_STATE,
  UPSTREAM_TEST,
} from '../../administration/resources/upstreams.ts'
import { discoverDraftModels, testUpstreamDraft } from '../../administration/upstreams/drafts.ts'
import { listUpstreamFigures } from '../../administration/upstreams/figures.ts'
import { listUpstreamKinds } from '../../administration/upstreams/kinds.ts'
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
    summary: 'Sends requests to an upstream again',
    output: UPSTREAM_STATE,
    example: REASON,
  },
  'POST upstreams/{upstream}/disable': {
    operation: disableUpstream,
    summary: 'Stops sending new requests to an upstream; running requests and tasks continue',
    output: UPSTREAM_STATE,
    example: REASON,
  },
  'POST upstreams/{upstream}/drain': {
    operation: drainUpstream,
    summary: 'Stops sending new requests to an upstream, to remove it once the last one has ended',
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
  'GET upstream-kinds': {
    operation: listUpstreamKinds,
    summary: 'Lists the built-in kinds of upstreams, and what a new one needs',
    output: UPSTREAM_KIND,
    list: true,
  },
  'GET upstream-figures': {
    operation: listUpstreamFigures,
    summary: 'Lists upstreams with their health, calls, failures and latencies of the last hours',
    output: UPSTREAM_FIGURES,
    list: true,
    example: { query: 'hours=24' },
  },
  'POST upstream-drafts/test': {
    operation: testUpstreamDraft,
    summary: 'Calls an upstream that is not stored yet, and books the cost to the ledger account tests',
    output: UPSTREAM_TEST,
    example: { body: { kind: 'openai', keys: ['the-key-of-the-vendor'], estimate: true } },
  },
  'POST upstream-drafts/models': {
    operation: discoverDraftModels,
    summary: 'Lists the models of an upstream that is not stored yet',
    output: UPSTREAM_DRAFT_MODELS,
    example: { body: { kind: 'openai', keys: ['the-key-of-the-vendor'] } },
  },
  'POST price-proposals': {
    operation: proposePrices,
    summary: 'Proposes prices of models: those of the built-in list, with a percentage on top',
    output: PRICE_PROPOSALS,
    example: { body: { models: ['gpt-6.1-terra'], markup_percent: 20 } },
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
