// Upstreams, models and groups.
import { previewGroupPrices, previewModelPrice } from '../../administration/catalogue/price-impact.ts'
import { groups, models, upstreams } from '../../administration/configuration/index.ts'
import {
  addUpstreamKey,
  eraseUpstreamKey,
  listUpstreamKeys,
  removeUpstreamKey,
} from '../../administration/configuration/upstream-keys.ts'
import {
  GROUP,
  LISTED_GROUP,
  LISTED_MODEL,
  MODEL,
  PRICE_IMPACT,
  REMOVED_UPSTREAM_KEY,
  UPSTREAM,
  UPSTREAM_KEY,
} from '../../administration/resources/configuration.ts'
import type { AdminRoutes } from './route.ts'

export const CATALOGUE_ROUTES = {
  'GET upstreams': {
    operation: upstreams.list,
    summary: 'Lists upstreams of every source',
    output: UPSTREAM,
    list: true,
  },
  'POST upstreams': {
    operation: upstreams.create,
    summary: 'Stores an upstream',
    output: UPSTREAM,
    status: 201,
    example: { body: { id: 'second', kind: 'openai', keys: ['the-key-of-the-vendor'] } },
  },
  'GET upstreams/{upstream}': { operation: upstreams.show, summary: 'Shows an upstream', output: UPSTREAM },
  'PATCH upstreams/{upstream}': {
    operation: upstreams.change,
    summary: 'Changes a stored upstream',
    output: UPSTREAM,
    example: { body: { max_concurrency: 64 } },
  },
  'DELETE upstreams/{upstream}': {
    operation: upstreams.delete,
    summary: 'Deletes a stored upstream',
    output: UPSTREAM,
  },
  'GET upstreams/{upstream}/keys': {
    operation: listUpstreamKeys,
    summary: 'Lists the keys of an upstream, without their secrets',
    output: UPSTREAM_KEY,
    list: true,
  },
  'POST upstreams/{upstream}/keys': {
    operation: addUpstreamKey,
    summary: 'Adds a key to a stored upstream',
    output: UPSTREAM_KEY,
    status: 201,
    example: { body: { secret: 'another-key-of-the-vendor' } },
  },
  'DELETE upstreams/{upstream}/keys/{key}': {
    operation: removeUpstreamKey,
    summary: 'Removes a key of a stored upstream; a revision can bring it back',
    output: REMOVED_UPSTREAM_KEY,
  },
  'POST upstreams/{upstream}/keys/{key}/erase': {
    operation: eraseUpstreamKey,
    summary: 'Erases a key permanently: no revision with it can be restored',
    output: REMOVED_UPSTREAM_KEY,
  },

  'GET models': {
    operation: models.list,
    summary: 'Lists models of every source, with what is in force, problems and recent use',
    output: LISTED_MODEL,
    list: true,
    csv: true,
    example: { query: 'problem=no_price' },
  },
  'POST models': {
    operation: models.create,
    summary: 'Stores a model',
    output: MODEL,
    status: 201,
    example: {
      body: {
        id: 'fast',
        routes: [{ upstream: 'second', model: 'gpt-4.1' }],
        price: { input: '2.00', output: '8.00' },
      },
    },
  },
  'GET models/{model}': { operation: models.show, summary: 'Shows a model', output: MODEL },
  'PATCH models/{model}': {
    operation: models.change,
    summary: 'Changes a stored model; a change of the price alone needs the permission on money',
    output: MODEL,
    example: { body: { price: { input: '2.50' } } },
  },
  'DELETE models/{model}': { operation: models.delete, summary: 'Deletes a stored model', output: MODEL },

  'POST models/{model}/price-impact': {
    operation: previewModelPrice,
    summary: 'Computes what another price would have charged for the requests of the last days',
    output: PRICE_IMPACT,
    example: { body: { price: { input: '2.50' }, days: 7 } },
  },

  'GET groups': {
    operation: groups.list,
    summary: 'Lists groups of every source, with their keys',
    output: LISTED_GROUP,
    list: true,
  },
  'POST groups': {
    operation: groups.create,
    summary: 'Stores a group',
    output: GROUP,
    status: 201,
    example: { body: { id: 'staff', models: ['*'], multiplier: '0.8' } },
  },
  'GET groups/{group}': { operation: groups.show, summary: 'Shows a group', output: GROUP },
  'PATCH groups/{group}': {
    operation: groups.change,
    summary: 'Changes a stored group; a change of prices alone needs the permission on money',
    output: GROUP,
    example: { body: { multiplier: '0.9' } },
  },
  'POST groups/{group}/price-impact': {
    operation: previewGroupPrices,
    summary: 'Computes what other terms of a group would have charged for the requests of the last days',
    output: PRICE_IMPACT,
    example: { body: { multiplier: '0.9', days: 7 } },
  },
  'DELETE groups/{group}': { operation: groups.delete, summary: 'Deletes a stored group', output: GROUP },
} as const satisfies AdminRoutes
