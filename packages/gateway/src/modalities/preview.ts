// Units of a request that was not made, for a preview of its cost: by their names on receipts, where no token is in two of them.
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import type { Charge } from '../money/prices/price.ts'
import { KIND_NAMES, KINDS } from '../money/prices/token-kinds.ts'

type TokenUnit = (typeof KIND_NAMES)[keyof typeof KIND_NAMES]
export const TOKEN_UNITS: readonly TokenUnit[] = KINDS.map((kind) => KIND_NAMES[kind])

export type PreviewUnits = { readonly [Unit in TokenUnit]?: number } & {
  tier?: string
  /** Calls of hosted tools. */
  tools?: Readonly<Record<string, number>>
  images?: number
  size?: string
  quality?: string
  seconds?: number
  resolution?: string
  video_tokens?: number
  searches?: number
  documents?: number
  inputs?: number
  requests?: number
  characters?: number
  audio_seconds?: number
}

/** `tools`: calls that have a price, for the formula. */
export type PreviewedCharge = Pick<Charge, 'cost' | 'units' | 'figures'> & {
  tools?: Readonly<Record<string, number>> | undefined
}

/** As an upstream would report these tokens: wholes with their parts. */
export function usageOf(units: PreviewUnits): Usage {
  const sum = (...names: readonly TokenUnit[]): number => names.reduce((total, name) => total + (units[name] ?? 0), 0)
  const { tier, tools } = units
  return {
    input: sum(...(['input', 'cached_input', 'cache_write', 'cache_write_1h'] as const)) + sum(...INPUT_PARTS),
    cachedInput: sum('cached_input', 'cached_audio_input'),
    cacheWrite: sum('cache_write', 'cache_write_1h'),
    cacheWriteLong: sum('cache_write_1h'),
    audioInput: sum('audio_input', 'cached_audio_input'),
    cachedAudioInput: sum('cached_audio_input'),
    imageInput: sum('image_input'),
    output: sum('output', 'reasoning', 'audio_output', 'image_output'),
    reasoning: sum('reasoning'),
    audioOutput: sum('audio_output'),
    imageOutput: sum('image_output'),
    toolCalls: tools,
    tier,
    absurd: false,
  }
}

const INPUT_PARTS = ['audio_input', 'cached_audio_input', 'image_input'] as const
