// Models that speak a text, priced by the character, by the minute of audio or by the token.
import { NANOS_PER_USD, type Nanos } from '../../money/amount.ts'
import { fieldsOf } from '../../yaml/fields.ts'
import { readInteger } from '../../yaml/scalars.ts'
import { shownFigures } from '../figures.ts'
import { fromFirstRoute } from '../known-limits.ts'
import type { Modality, PricePair } from '../modality.ts'
import { usageOf } from '../preview.ts'
import { hasOnly } from '../receipt-units.ts'
import { type SpeechPrice, type SpeechRate, speechRate } from './price.ts'
import { readSpeechPrice } from './read-price.ts'

type SpeechLimits = { characters?: number }

export const speech: Modality<SpeechPrice, SpeechLimits, SpeechRate, 'chat' | 'generate-content'> = {
  generates: 'speech',
  endpoints: 'Use POST /v1/audio/speech.',
  dialects: ['chat', 'generate-content'],
  service: 'speech',
  capabilities: [],
  readPrice: readSpeechPrice,
  readLimits(value) {
    const fields = fieldsOf(value, { characters: true }, 'limits: { characters: 4096 }')
    const characters = fields?.required('characters', readInteger({ min: 1, max: 1_000_000 }))
    return characters === undefined ? undefined : { characters }
  },
  noLimits: {},
  withKnownLimits: fromFirstRoute((known, written) => ({ ...known, ...written })),
  rateOf: speechRate,
  comparePrices(yours, list) {
    const [own, listed] = [yours && new Map(figuresOf(yours)), new Map(figuresOf(list))]
    const names = [...new Set([...listed.keys(), ...(own?.keys() ?? [])])]
    return names.map((field): PricePair => ({ field, yours: own?.get(field), list: listed.get(field) }))
  },
  comparedBy: ['per_million_characters', 'per_minute', 'audio_output'],
  tokens: { input: ['input'], output: ['audio_output'] },
  describe: ({ limits: { characters } }, { price, multiplierMillionths }) => ({
    price: shownFigures(figuresOf(price), multiplierMillionths),
    limits: { characters: characters ?? null },
    protocols: ['speech'],
  }),
  previewedUnits: ['characters', 'audio_seconds', 'input', 'audio_output'],
  preview(rate, units) {
    const { characters = 1, audio_seconds: seconds } = units
    const isCounted = figuresOf(rate.price).every(([name]) => (units[UNIT_OF[name] ?? 'input'] ?? 0) > 0)
    return isCounted ? rate.cost({ characters, seconds, usage: usageOf(units) }) : undefined
  },
  reprice(rate, receipt) {
    const { characters = 1, audio_seconds: seconds, input = 0, audio_output: output } = receipt.units
    const names = figuresOf(rate.price).map(([name]) => String(UNIT_OF[name]))
    if (!hasOnly(receipt, names) || names.some((name) => receipt.units[name] === undefined)) return undefined
    return rate.cost({ characters, seconds, usage: usageOf({ input, audio_output: output ?? 0 }) })?.cost
  },
  sandbox: {
    id: 'sandbox-speech',
    price: { perMillionCharacters: 15n * NANOS_PER_USD },
    limits: { characters: 4_096 },
  },
}

/** The unit on receipts that each figure is multiplied with. */
const UNIT_OF: Readonly<Record<string, 'characters' | 'audio_seconds' | 'input' | 'audio_output'>> = {
  per_million_characters: 'characters',
  per_minute: 'audio_seconds',
  input: 'input',
  audio_output: 'audio_output',
}

/** By their names in the file. */
function figuresOf(price: SpeechPrice): (readonly [name: string, figure: Nanos])[] {
  if ('perMinute' in price) return [['per_minute', price.perMinute]]
  if (!('tokens' in price)) return [['per_million_characters', price.perMillionCharacters]]
  return [
    ['input', price.tokens.input],
    ['audio_output', price.tokens.audioOutput],
  ]
}
