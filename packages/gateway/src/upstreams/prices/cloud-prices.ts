// What a model of the price list costs at a cloud, by the name that it has there.
import { MULTIPLIER_ONE } from '../../config/sections/groups.ts'
import { baseName } from './capabilities.ts'
import { findListed, type ListedModel, type PriceList } from './price-list.ts'

/** `multiplier`: what the cloud takes for the place, in millionths. */
export type PricedAtCloud = { model: ListedModel; multiplier: bigint }

/** A tenth more than the list, in regions and geographies; since these models. */
const IN_REGION = (MULTIPLIER_ONE * 11n) / 10n
const WITH_REGIONS = /^claude-(?:(?:haiku|sonnet|opus)-4-(?:[5-9]|\d\d)(?!\d)|[a-z]+-[5-9](?!\d))/
const GLOBAL_HOST = 'aiplatform.googleapis.com'

/** `base`: what the name stands for, if it does not say it. Of an upstream without a cloud only the names of the list are known. */
export function findAtUpstream(
  list: PriceList,
  { name, base = name, baseUrl }: { name: string; base?: string | undefined; baseUrl?: string | undefined },
): PricedAtCloud | undefined {
  const exact = findListed(list, base)?.model
  const host = baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl).hostname : ''
  if (exact && !/googleapis\.com$/.test(host)) return { model: exact, multiplier: MULTIPLIER_ONE }
  const known = baseName(base)
  const model = exact ?? (isOfCloud(base) ? findListed(list, known)?.model : undefined)
  if (!model) return undefined
  const isGlobal = name.startsWith('global.') || host === GLOBAL_HOST
  return { model, multiplier: WITH_REGIONS.test(known) && !isGlobal ? IN_REGION : MULTIPLIER_ONE }
}

/** `us.anthropic.claude-...`, `anthropic.claude-...-v1:0`, `claude-...@20250929`. */
const isOfCloud = (name: string): boolean => /(?:^|\.)anthropic\.|@\d{8}$/.test(name)
