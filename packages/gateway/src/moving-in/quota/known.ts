// What is known of the programs as data: their tables and columns, options, types of channels, and ratios.
import { parse } from 'yaml'
import type { Tables } from './columns.ts'
import common from './known.yaml' with { type: 'text' }
import type { OptionRule } from './options.ts'

/** What a type of channel is here. Their numbers differ between the programs. */
export type ChannelTarget =
  /** `kind`: of the upstream, if any. `base`: the URL if the channel names none; `suffix`: what the program adds to it. */
  | { kind?: string; base: string; suffix: string; region?: 'china'; keyless?: true }
  /** Each has fields of its own; `custom` the whole URL of the chat. */
  | 'azure'
  | 'aws'
  | 'vertex'
  | 'custom'
  /** The vendor, which has no equivalent. */
  | { without: string }
export type ChannelTypes = Readonly<Record<number, ChannelTarget>>

export type Known = { tables: Tables; options: readonly OptionRule[]; channelTypes: ChannelTypes }

type Written = {
  tables: Readonly<Record<string, { used?: string; others?: readonly unknown[] } | readonly unknown[]>>
  options: readonly (readonly [pattern: string, ...more: unknown[]])[]
  channels: ChannelTypes
}
const COMMON = parse(common) as Written & { bedrock: string }
export const BEDROCK = COMMON.bedrock

/** `source`: what one program has, in the form of known.yaml. */
export function knownOf(source: string): Known {
  const own = parse(source) as Written
  const tables = Object.entries({ ...COMMON.tables, ...own.tables }).map(([name, entry]) => {
    const shared = COMMON.tables[name]
    if (Array.isArray(entry) || entry === shared || !shared) return [name, entry]
    const others = [shared, entry].flatMap((each) => ('others' in each ? (each.others ?? []) : []))
    return [name, { ...entry, others }]
  })
  const options = [...own.options, ...COMMON.options].map(([pattern, ...more]) => [new RegExp(pattern), ...more])
  return {
    tables: Object.fromEntries(tables) as Tables,
    options: options as unknown as OptionRule[],
    channelTypes: { ...COMMON.channels, ...own.channels },
  }
}
