// Model square, and the names of models for filters.
import type { Static } from 'typebox'
import {
  boolean,
  fields,
  ID,
  listOf,
  mapOf,
  nullable,
  number,
  optional,
  string,
  unknown,
  word,
} from '../../request/schema/schema.ts'
import type { RouteDeclaration, RouteName } from './route.ts'

const MODELS = listOf(
  fields({
    id: ID,
    type: string(),
    /** The figures by which prices of this type are compared, the preferred ones first. */
    compared_by: listOf(string()),
    vendor: nullable(string('Null: unknown.')),
    /** As GET /v1/models shows them: figures in USD by name. */
    prices: listOf(fields({ group: string(), price: mapOf(unknown()) })),
    limits: mapOf(unknown()),
    protocols: listOf(string()),
    /** Besides text; of an image model `images` means edits. Null: unknown. */
    capabilities: nullable(listOf(word('images', 'tools', 'reasoning'))),
    median_first_token_ms: nullable(number('Over the last 24 hours; null: no traffic.')),
    healthy: boolean('False: the last attempt at each of its upstreams failed.'),
  }),
)
export type ModelRow = Static<typeof MODELS>[number]
const MODEL_NAMES = fields({ items: listOf(string()), total: number() })
export type ModelNames = Static<typeof MODEL_NAMES>

export const MODEL_ROUTES = {
  'GET models': {
    policy: 'member',
    summary: 'Lists every model of every group that the account may choose, with the prices of each group',
    output: MODELS,
  },
  'GET model-names': {
    policy: 'member',
    summary: 'Lists the first models whose id contains a text, ignoring case',
    query: fields({ search: optional(string()) }),
    output: MODEL_NAMES,
  },
} as const satisfies Record<RouteName, RouteDeclaration>
