// Kinds of tokens that may have a price of their own. Pure.
import type { Nanos } from '../amount.ts'

/** Kinds that only some prices list. Tokens of an unlisted kind cost what `FALLBACK` names, and are counted with it. */
export type SpecialKind =
  | 'cacheWriteLong'
  | 'audioInput'
  | 'cachedAudioInput'
  | 'imageInput'
  | 'reasoning'
  | 'audioOutput'
  | 'imageOutput'
export type Kind = 'input' | 'cachedInput' | 'cacheWrite' | 'output' | SpecialKind

/** Nano-USD per million tokens. */
export type Figures = { input: Nanos; output: Nanos; cachedInput: Nanos; cacheWrite: Nanos } & {
  readonly [K in SpecialKind]?: Nanos
}

export const SPECIAL_KINDS: readonly SpecialKind[] = [
  ...(['cacheWriteLong', 'audioInput', 'cachedAudioInput', 'imageInput'] as const),
  ...(['reasoning', 'audioOutput', 'imageOutput'] as const),
]
/** In the order in which receipts list them. */
export const KINDS: readonly Kind[] = [
  ...(['input', 'cachedInput', 'cacheWrite', 'cacheWriteLong', 'audioInput', 'cachedAudioInput'] as const),
  ...(['imageInput', 'output', 'reasoning', 'audioOutput', 'imageOutput'] as const),
]

/** Their names in the configuration and on receipts. */
export const KIND_NAMES = {
  input: 'input',
  cachedInput: 'cached_input',
  cacheWrite: 'cache_write',
  cacheWriteLong: 'cache_write_1h',
  audioInput: 'audio_input',
  cachedAudioInput: 'cached_audio_input',
  imageInput: 'image_input',
  output: 'output',
  reasoning: 'reasoning',
  audioOutput: 'audio_output',
  imageOutput: 'image_output',
} as const satisfies Record<Kind, string>
