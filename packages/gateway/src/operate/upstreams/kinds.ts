// The kinds of upstreams that are built in: what a new one needs, before anything is written.

import { isAuthSecret } from '../../config/secret-paths.ts'
import { type AuthType, storedAuthFields } from '../../config/sections/upstreams/upstream-auth.ts'
import { NOTHING } from '../../request/schema/schema.ts'
import { KINDS } from '../../upstreams/kinds/index.ts'
import { builtInPriceList } from '../../upstreams/prices/price-list.ts'
import { operation } from '../operation.ts'
import { UPSTREAM_KIND } from '../resources/upstreams.ts'

const KEYS = ['key'] as const

/** Programs, files and roles are a matter of the file alone. */
const storedFields = (type: AuthType) => storedAuthFields(type).map((name) => ({ name, is_secret: isAuthSecret(name) }))

export const listUpstreamKinds = operation({
  name: 'upstream kinds',
  permission: 'see',
  route: {
    at: 'GET upstream-kinds',
    summary: 'Lists the built-in kinds of upstreams, and what a new one needs',
    output: UPSTREAM_KIND,
    list: true,
  },
  input: NOTHING,
  async run() {
    const priced = new Map(builtInPriceList().vendors.map(({ kind, models }) => [kind, models.length]))
    const items = [...KINDS.values()].map((kind) => ({
      id: kind.kind,
      name: kind.name,
      base_url: kind.baseUrl ?? null,
      base_url_example: kind.example ?? null,
      needs_base_url: kind.baseUrl === undefined,
      place_fields: [...(kind.place?.fields ?? [])],
      api_version: kind.apiVersion ?? null,
      needs_key: kind.keyless !== true,
      auth: (kind.auth?.types ?? KEYS).map((type) => ({ type, fields: type === 'key' ? [] : storedFields(type) })),
      keys_url: kind.keysPage ?? null,
      mainland: kind.mainland ? { base_url: kind.mainland.baseUrl, keys_url: kind.mainland.keysPage } : null,
      docs_url: kind.source,
      protocols: [...kind.endpoints.map(({ dialect }) => dialect), ...(kind.images ? ['images'] : [])],
      priced_models: priced.get(kind.kind) ?? 0,
    }))
    return { items, next: null }
  },
})
