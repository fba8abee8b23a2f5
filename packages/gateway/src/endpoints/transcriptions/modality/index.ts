// Models that write down what is said in audio, priced by the minute or by the token.
import {
  TRANSCRIPTION_DIALECT_IDS,
  type TranscriptionDialectId,
} from '@trivium/protocol/dialects/transcription-services.ts'
import { compareUnits } from '../../../modalities/compare-units.ts'
import { shownFigures } from '../../../modalities/figures.ts'
import { fromFirstRoute } from '../../../modalities/known-limits.ts'
import type { Modality } from '../../../modalities/modality.ts'
import { usageOf } from '../../../modalities/preview.ts'
import { hasOnly } from '../../../modalities/receipt-units.ts'
import { NANOS_PER_USD, type Nanos } from '../../../money/amount.ts'
import { KIND_NAMES, type Kind } from '../../../money/prices/token-kinds.ts'
import { addMistake, type YamlValue } from '../../../yaml/document.ts'
import { type FieldRules, fieldsOf } from '../../../yaml/fields.ts'
import { readInteger, readUsd } from '../../../yaml/scalars.ts'
import { compareTokenPrices } from '../../text/modality/compare-prices.ts'
import { type TranscriptionPrice, type TranscriptionRate, transcriptionRate } from './price.ts'

/** The limits of one file. */
export type TranscriptionLimits = { megabytes?: number }

const KINDS = ['input', 'cachedInput', 'audioInput', 'output'] as const satisfies readonly Kind[]
const TOKENS = KINDS.map((kind) => KIND_NAMES[kind])
const PRICE_FIELDS: FieldRules = {
  per_minute: true,
  ...Object.fromEntries(TOKENS.map((name) => [name, true as const])),
}
const PRICE = 'price: { per_minute: 0.006 }'
const TOKEN_HELP = 'USD per million tokens; a price by the token has input, audio_input and output'
const LIMITS = 'limits: { megabytes: 25 }'

/** Larger ones are rejected before they have arrived. */
export const MOST_MEGABYTES = 100

const unreported = { report: {}, textBytes: 0 }

export const transcription: Modality<
  TranscriptionPrice,
  TranscriptionLimits,
  TranscriptionRate,
  TranscriptionDialectId
> = {
  generates: 'transcripts of audio',
  endpoints: 'Use POST /v1/audio/transcriptions or POST /v1/audio/translations.',
  dialects: TRANSCRIPTION_DIALECT_IDS,
  service: 'transcriptions',
  capabilities: [],
  readPrice,
  readLimits(value) {
    const fields = fieldsOf(value, { megabytes: true }, LIMITS)
    const megabytes = fields?.required('megabytes', readInteger({ min: 1, max: MOST_MEGABYTES }), 'of one file')
    return megabytes === undefined ? undefined : { megabytes }
  },
  noLimits: {},
  withKnownLimits: fromFirstRoute((known, written) => ({ ...known, ...written })),
  rateOf: transcriptionRate,
  comparePrices(yours, list) {
    const [own, listed] = [yours, list].map((price) => (price && 'tokens' in price ? price.tokens : undefined))
    const minutes = compareUnits(yours && byMinute(yours), byMinute(list))
    return listed ? [...compareTokenPrices(own, listed), ...minutes] : minutes
  },
  comparedBy: ['per_minute', 'audio_input', 'input'],
  tokens: { input: ['input', 'cached_input', 'audio_input'], output: ['output'] },
  describe: ({ limits: { megabytes } }, { price, multiplierMillionths }) => ({
    price: shownFigures(figuresOf(price), multiplierMillionths),
    limits: { megabytes: megabytes ?? null },
    protocols: ['transcriptions'],
  }),
  previewedUnits: ['audio_seconds', ...TOKENS],
  preview(rate, units) {
    const { audio_seconds: seconds } = units
    if (!('tokens' in rate.price)) return seconds === undefined ? undefined : rate.cost({ seconds, ...unreported })
    const hasTokens = TOKENS.some((name) => units[name] !== undefined)
    if (!hasTokens && seconds === undefined) return undefined
    const report = hasTokens ? { usage: usageOf(units) } : {}
    return rate.cost({ ...unreported, seconds: seconds ?? 0, report })
  },
  reprice(rate, receipt) {
    const { units } = receipt
    const names = 'tokens' in rate.price ? TOKENS : ['audio_seconds']
    if (!hasOnly(receipt, names)) return undefined
    const report = 'tokens' in rate.price ? { usage: usageOf(units) } : {}
    return rate.cost({ ...unreported, seconds: units.audio_seconds ?? 0, report }).cost
  },
  sandbox: {
    id: 'sandbox-transcription',
    price: { perMinute: (6n * NANOS_PER_USD) / 1_000n },
    limits: { megabytes: 25 },
    limitsRoutes: true,
  },
}

function readPrice(value: YamlValue): TranscriptionPrice | undefined {
  const fields = fieldsOf(value, PRICE_FIELDS, PRICE)
  if (!fields) return undefined
  const token = TOKENS.find((name) => fields.get(name))
  if (token !== undefined && fields.get('per_minute')) {
    addMistake(value, `per_minute and ${token} cannot both be the price; audio is billed by the minute or by the token`)
    return undefined
  }
  if (token === undefined) {
    const perMinute = fields.required('per_minute', readUsd, `USD. ${TOKEN_HELP.slice(TOKEN_HELP.indexOf('a price'))}`)
    return perMinute === undefined ? undefined : { perMinute }
  }
  const input = fields.required('input', readUsd, TOKEN_HELP)
  const output = fields.required('output', readUsd, TOKEN_HELP)
  const audioInput = fields.optional<Nanos | undefined>('audio_input', readUsd, undefined)
  const cachedInput = fields.optional<Nanos | undefined>('cached_input', readUsd, input)
  if (input === undefined || output === undefined || cachedInput === undefined) return undefined
  const audio = audioInput === undefined ? {} : { audioInput }
  return { tokens: { input, output, cachedInput, cacheWrite: input, ...audio } }
}

const byMinute = (price: TranscriptionPrice) =>
  'tokens' in price
    ? undefined
    : { unit: 'per_minute', variants: new Map<string, unknown>(), figureOf: () => price.perMinute }

const figuresOf = (price: TranscriptionPrice): (readonly [string, Nanos | undefined])[] =>
  'tokens' in price ? KINDS.map((kind) => [KIND_NAMES[kind], price.tokens[kind]]) : [['per_minute', price.perMinute]]
