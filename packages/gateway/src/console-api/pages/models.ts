// The Models page: every model that some group of the account offers, once, with what each of these groups pays.
import type { AnyOffer, Catalogue } from '../../catalogue/catalogue.ts'
import { describeModel } from '../../catalogue/describe-model.ts'
import { groupsFor } from '../../catalogue/offered-groups.ts'
import { modalityOf } from '../../modalities/index.ts'
import { medians } from '../../observe/latency-buckets.ts'
import type { Holder } from '../../storage/storage.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import type { HandlersOf } from '../handlers-of.ts'
import type { MODEL_ROUTES, ModelNames, ModelRow } from '../routes/models.ts'

const DAY_MS = 86_400_000

async function listModelSquare(holder: Holder, deps: ConsoleDependencies): Promise<ModelRow[]> {
  const median = medians(await deps.store.spending.latencies(deps.clock() - DAY_MS))
  const rows = new Map<string, ModelRow>()
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
}

/** As many as a list of choices can show. */
const MOST_NAMES = 50

function listModelNames(holder: Holder, search: string, { catalogue }: ConsoleDependencies): ModelNames {
  const { config } = catalogue()
  const names = new Set(
    groupsFor(config, holder).flatMap(({ id }) => offersOfGroup(catalogue(), id).map(({ model }) => model.id)),
  )
  const found = [...names].filter((name) => name.toLowerCase().includes(search.trim().toLowerCase())).sort()
  return { items: found.slice(0, MOST_NAMES), total: found.length }
}

export const offersOfGroup = ({ offers }: Catalogue, group: string): AnyOffer[] => [
  ...(offers.get(group)?.values() ?? []),
]

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

export const MODEL_HANDLERS: HandlersOf<typeof MODEL_ROUTES> = {
  'GET models': async ({ account }, deps) => listModelSquare(await deps.store.accounts.holder(account.id), deps),
  'GET model-names': async ({ account, query }, deps) =>
    listModelNames(await deps.store.accounts.holder(account.id), query.search ?? '', deps),
}
