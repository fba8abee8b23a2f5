// The Models page: every model that some group of the account offers, once, with what each of these groups pays. And their names, for filters.
import type { Static } from 'typebox'
import type { AnyOffer, Catalogue } from '../../catalogue/catalogue.ts'
import { describeModel } from '../../catalogue/describe-model.ts'
import { groupsFor } from '../../catalogue/offered-groups.ts'
import { modalityOf } from '../../modalities/index.ts'
import { medians } from '../../observe/latency-buckets.ts'
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
import { route } from '../route.ts'

const DAY_MS = 86_400_000

const MODEL = fields({
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
})

export const listModels = route(
  'GET models',
  {
    policy: 'member',
    summary: 'Lists every model of every group that the account may choose, with the prices of each group',
    output: listOf(MODEL),
  },
  async ({ account }, deps) => {
    const holder = await deps.store.accounts.holder(account.id)
    const median = medians(await deps.store.spending.latencies(deps.clock() - DAY_MS))
    const rows = new Map<string, Static<typeof MODEL>>()
    const catalogue = deps.catalogue()
    for (const { id: group } of groupsFor(catalogue.config, holder)) {
      for (const offer of offersOfGroup(catalogue, group)) {
        const { price = {}, limits = {}, protocols = [] } = describeModel(offer)
        const { id, type, capabilities } = offer.model
        const row = rows.get(id) ?? {
          id,
          type,
          compared_by: [...modalityOf(type).comparedBy],
          vendor: vendorOf(id),
          prices: [],
          limits: { ...limits },
          protocols: [...protocols],
          capabilities: capabilities ? [...capabilities] : null,
          median_first_token_ms: median.get(id) ?? null,
          healthy: offer.candidates.some(
            ({ health, upstreamSwitch }) => upstreamSwitch.state === 'enabled' && health.isHealthy,
          ),
        }
        row.prices.push({ group, price: { ...price } })
        rows.set(id, row)
      }
    }
    return [...rows.values()]
  },
)

/** As many as a list of choices can show. */
const MOST_NAMES = 50

export const listModelNames = route(
  'GET model-names',
  {
    policy: 'member',
    summary: 'Lists the first models whose id contains a text, ignoring case',
    query: fields({ search: optional(string()) }),
    output: fields({ items: listOf(string()), total: number() }),
  },
  async ({ account, query: { search = '' } }, deps) => {
    const holder = await deps.store.accounts.holder(account.id)
    const catalogue = deps.catalogue()
    const names = new Set(
      groupsFor(catalogue.config, holder).flatMap(({ id }) =>
        offersOfGroup(catalogue, id).map(({ model }) => model.id),
      ),
    )
    const found = [...names].filter((name) => name.toLowerCase().includes(search.trim().toLowerCase())).sort()
    return { items: found.slice(0, MOST_NAMES), total: found.length }
  },
)

const offersOfGroup = ({ offers }: Catalogue, group: string): AnyOffer[] => [...(offers.get(group)?.values() ?? [])]

/** By the beginning of the id, which vendors choose alike for all of their models. */
const VENDORS: readonly [RegExp, string][] = [
  [/^(gpt|o\d|chatgpt|codex|dall-e|sora)\b/, 'OpenAI'],
  [/^claude\b/, 'Anthropic'],
  [/^(gemini|gemma|imagen|veo)\b/, 'Google'],
  [/^(doubao|seed|seedance|seedream)/, 'ByteDance'],
  [/^deepseek\b/, 'DeepSeek'],
  [/^(qwen|qwq)/, 'Alibaba'],
  [/^(llama|meta-llama)/, 'Meta'],
  [/^(mistral|mixtral|codestral|ministral|magistral)/, 'Mistral'],
  [/^grok\b/, 'xAI'],
  [/^(glm|chatglm)/, 'Zhipu'],
  [/^(kimi|moonshot)/, 'Moonshot'],
  [/^sandbox-/, 'Trivium'],
]

function vendorOf(id: string): string | null {
  const name = id.toLowerCase().split('/').at(-1) ?? ''
  return VENDORS.find(([pattern]) => pattern.test(name))?.[1] ?? null
}
