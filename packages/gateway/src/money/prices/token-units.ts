// Tokens by the price that applies to them. Pure.
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import type { Figures, SpecialKind } from './token-kinds.ts'

/** Tokens by the price that applies to them; no token is in two of these. */
export type Units = { input: number; cachedInput: number; cacheWrite: number; output: number } & {
  [K in SpecialKind]?: number
}

/**
 * Splits usage by price. Input includes cached tokens, cache writes, audio and images; a kind without a figure of its own is
 * counted with the kind that it falls back to. Parts that exceed the rest of their whole are cut to it.
 */
export function unitsOf(usage: Usage, figures?: Figures): Units {
  const input = usage.input ?? 0
  const cachedInput = Math.min(usage.cachedInput ?? 0, input)
  const cacheWrite = Math.min(usage.cacheWrite ?? 0, input - cachedInput)
  const units: Units = { input: input - cachedInput - cacheWrite, cachedInput, cacheWrite, output: usage.output ?? 0 }
  if (figures) splitSpecials(units, usage, figures)
  return units
}

function splitSpecials(units: Units, usage: Usage, figures: Figures): void {
  const move = (from: 'input' | 'cachedInput' | 'cacheWrite' | 'output', to: SpecialKind, tokens = 0): void => {
    const moved = Math.min(tokens, units[from])
    if (moved <= 0) return
    units[from] -= moved
    units[to] = (units[to] ?? 0) + moved
  }
  if (figures.cacheWriteLong !== undefined) move('cacheWrite', 'cacheWriteLong', usage.cacheWriteLong)
  const cachedAudio = Math.min(usage.cachedAudioInput ?? 0, units.cachedInput)
  // Where audio has a price but cached audio has none, a cache makes it no cheaper.
  if (figures.cachedAudioInput !== undefined) move('cachedInput', 'cachedAudioInput', cachedAudio)
  else if (figures.audioInput !== undefined) move('cachedInput', 'audioInput', cachedAudio)
  if (figures.audioInput !== undefined) move('input', 'audioInput', (usage.audioInput ?? 0) - cachedAudio)
  if (figures.imageInput !== undefined) move('input', 'imageInput', usage.imageInput)
  if (figures.reasoning !== undefined) move('output', 'reasoning', usage.reasoning)
  if (figures.audioOutput !== undefined) move('output', 'audioOutput', usage.audioOutput)
  if (figures.imageOutput !== undefined) move('output', 'imageOutput', usage.imageOutput)
}

/** The same tokens in the four kinds that every dialect can report. */
export function totalsOf(units: Units): { input: number; cachedInput: number; cacheWrite: number; output: number } {
  return {
    input: units.input + (units.audioInput ?? 0) + (units.imageInput ?? 0),
    cachedInput: units.cachedInput + (units.cachedAudioInput ?? 0),
    cacheWrite: units.cacheWrite + (units.cacheWriteLong ?? 0),
    output: units.output + (units.reasoning ?? 0) + (units.audioOutput ?? 0) + (units.imageOutput ?? 0),
  }
}
