// What a well-known model supports, by its name at an upstream.

import { type ModelType, modalityOf } from '../../modalities/index.ts'
import type { Capability } from '../../modalities/modality.ts'
import { findListed, type PriceList } from './price-list.ts'

const ALL: readonly Capability[] = ['images', 'tools', 'reasoning']
const NO_REASONING: readonly Capability[] = ['images', 'tools']
const NO_IMAGES: readonly Capability[] = ['tools', 'reasoning']

/** Models without a price in the list, as their vendors document them. The first match counts. */
const UNLISTED: readonly [name: RegExp, capabilities: readonly Capability[]][] = [
  [/^gpt-5(?:-mini|-nano|\.6-sol)?(?:-\d{4}-\d{2}-\d{2})?$/, ALL],
  [/^gpt-4\.1-nano(?:-\d{4}-\d{2}-\d{2})?$/, NO_REASONING],
  [/^gpt-4o-\d{4}-\d{2}-\d{2}$/, NO_REASONING],
  [/^gpt-4-turbo(?:-\d{4}-\d{2}-\d{2})?$/, NO_REASONING],
  [/^gpt-3\.5-turbo$/, ['tools']],
  [/^(?:o1|o3|o4-mini)(?:-\d{4}-\d{2}-\d{2})?$/, ALL],
  [/^o3-mini(?:-\d{4}-\d{2}-\d{2})?$/, NO_IMAGES],
  [/^claude-3-(?:opus|sonnet|haiku|5-sonnet)/, NO_REASONING],
  [/^claude-3-7-sonnet/, ALL],
  [/^claude-(?:opus|sonnet)-4(?:-[015])?(?:-\d{8})?$/, ALL],
  [/^gemini-2\.5-(?:pro|flash|flash-lite)$/, ALL],
  [/^gemini-2\.0-flash(?:-001)?$/, NO_REASONING],
  [/^deepseek-chat$/, ['tools']],
  [/^deepseek-(?:reasoner|v4-flash|v4-pro)$/, NO_IMAGES],
]

/** Undefined: not known. */
export function capabilitiesOf(list: PriceList, model: string): readonly Capability[] | undefined {
  const name = baseName(model)
  const listed = findListed(list, model) ?? findListed(list, name)
  return listed?.model.capabilities ?? UNLISTED.find(([pattern]) => pattern.test(name))?.[1]
}

// The limits of a well-known model, by its name at an upstream.
/** Undefined: the model is not known, or of another type. */
export function knownLimits(list: PriceList, type: ModelType, model: string): unknown {
  const name = baseName(model)
  const listed = (findListed(list, model) ?? findListed(list, name))?.model
  return listed?.type === type ? listed.limits : modalityOf(type).unlistedLimits?.(name)
}

/** Resellers add a vendor, a region or a version to a name: `us.anthropic.claude-opus-4-5-20251101-v1:0`. */
export function baseName(model: string): string {
  const last = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return last
    .replace(/^(?:[a-z-]+\.)*anthropic\./, '')
    .replace(/-v\d+(?::\d+)?$/, '')
    .replace('@', '-')
    .replace(/^claude-(\d)\.(\d)/, 'claude-$1-$2')
    .replace(/^(claude-[a-z]+-\d)\.(\d)/, '$1-$2')
}
