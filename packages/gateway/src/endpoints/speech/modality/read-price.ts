// Prices of speech models in the file: one of three kinds.
import { addMistake, type YamlValue } from '../../../yaml/document.ts'
import { fieldsOf } from '../../../yaml/fields.ts'
import { readUsd } from '../../../yaml/scalars.ts'
import type { SpeechPrice } from './price.ts'

const other =
  'is not for speech models, which have per_million_characters, per_minute, or input and audio_output, in USD'
const FIELDS = {
  per_million_characters: true,
  per_minute: true,
  input: true,
  audio_output: true,
  output: other,
  audio_input: other,
  per_second: other,
} as const
const EXAMPLE = 'price: { per_million_characters: 15 }'
const KINDS = [['per_million_characters'], ['per_minute'], ['input', 'audio_output']] as const

export function readSpeechPrice(value: YamlValue): SpeechPrice | undefined {
  const fields = fieldsOf(value, FIELDS, EXAMPLE)
  if (!fields) return undefined
  const written = KINDS.filter((names) => names.some((name) => fields.get(name)))
  const [kind, another] = written
  if (kind === undefined)
    addMistake(value, 'per_million_characters, per_minute, or input and audio_output are missing; USD')
  if (kind === undefined || another !== undefined) {
    if (another) addMistake(value, `${kind?.[0]} and ${another[0]} cannot both be the price; keep one of them`)
    return undefined
  }
  const help = 'USD per million tokens; a price by the token has input and audio_output'
  const [first, second] = kind.map((name) => fields.required(name, readUsd, kind.length > 1 ? help : undefined))
  if (first === undefined) return undefined
  if (kind[0] === 'input') return second === undefined ? undefined : { tokens: { input: first, audioOutput: second } }
  return kind[0] === 'per_minute' ? { perMinute: first } : { perMillionCharacters: first }
}
