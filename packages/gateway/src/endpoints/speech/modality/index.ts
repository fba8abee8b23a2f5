// Models that speak a text, priced by the character, by the minute of audio or by the token.

import { shownFigures } from '../../../modalities/figures.ts'
import { fromFirstRoute } from '../../../modalities/known-limits.ts'
import type { Modality, PricePair } from '../../../modalities/modality.ts'
import { usageOf } from '../../../modalities/preview.ts'
import { hasOnly } from '../../../modalities/receipt-units.ts'
import { NANOS_PER_USD, type Nanos } from '../../../money/amount.ts'
import { addMistake, type YamlValue } from '../../../yaml/document.ts'
import { fieldsOf, listOf, scalarText } from '../../../yaml/fields.ts'
import { readInteger } from '../../../yaml/scalars.ts'
import { type SpeechPrice, type SpeechRate, speechRate } from './price.ts'
import { readSpeechPrice } from './read-price.ts'

type SpeechLimits = { characters?: number; voices?: readonly string[] }

const LONGEST_VOICE = 256

export const speech: Modality<SpeechPrice, SpeechLimits, SpeechRate, 'chat' | 'generate-content'> = {
  generates: 'speech',
  endpoints: 'Use POST /v1/audio/speech, or generateContent for models of Gemini.',
  dialects: ['chat', 'generate-content'],
  service: 'speech',
  capabilities: [],
  readPrice: readSpeechPrice,
  readLimits(value) {
    const fields = fieldsOf(value, { characters: true, voices: true }, 'limits: { characters: 4096 }')
    if (!fields) return undefined
    const readCharacters = readInteger({ min: 1, max: 1_000_000 })
    const characters = fields.optional<number | undefined>('characters', readCharacters, undefined)
    const readVoices = listOf(readVoice, '[af_bella, bm_george]', 'remove it, or name the voices')
    const voices = fields.optional<readonly string[] | undefined>('voices', readVoices, undefined)
    return { ...(characters === undefined ? {} : { characters }), ...(voices ? { voices: [...new Set(voices)] } : {}) }
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
  describe: ({ limits: { characters, voices } }, { price, multiplierMillionths }) => ({
    price: shownFigures(figuresOf(price), multiplierMillionths),
    limits: { characters: characters ?? null, voices: voices ?? null },
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

function readVoice(value: YamlValue): string | undefined {
  const name = scalarText(value, 'the name of a voice such as af_bella')
  if (name === undefined || (name !== '' && name.length <= LONGEST_VOICE)) return name
  addMistake(value, `expected the name of a voice, of 1 to ${LONGEST_VOICE} characters`)
  return undefined
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
