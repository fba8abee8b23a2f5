// The speech model: a tone for each word, as long as the word. Formats that need an encoder have the same prepared tones for every text.
import { LABELLED } from '../delivery/json.ts'
import { nextTurn } from '../delivery/next-turn.ts'
import { badRequest, SandboxError } from '../request/errors.ts'
import { isObject, type Json } from '../request/fields.ts'
import { parseBody } from '../request/json-body.ts'
import { TONES } from './tones.ts'

export const SANDBOX_SPEECH = 'sandbox-speech'
const TYPES = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
} as const
type Format = keyof typeof TYPES

const FIELDS = ['model', 'input', 'voice', 'instructions', 'response_format', 'speed', 'stream_format']
const MOST_CHARACTERS = 4_096
export const RATE = 24_000
const SECONDS_PER_CHARACTER = 0.06
const PREPARED_SECONDS = 1.5
/** As vendors count audio, nearly. */
const TOKENS_PER_SECOND = 20

export async function answerSpeech(request: Request): Promise<Response> {
  const body = parseBody(await request.bytes())
  for (const name of Object.keys(body))
    if (!FIELDS.includes(name)) throw badRequest(`Unknown parameter: '${name}'.`, name, 'unknown_parameter')
  const { model, input, voice } = body
  if (model !== SANDBOX_SPEECH)
    throw new SandboxError({
      status: 404,
      message: `The model '${String(model)}' does not exist.`,
      param: 'model',
      code: 'model_not_found',
    })
  if (typeof input !== 'string' || input === '') throw badRequest("Missing required parameter: 'input'.", 'input')
  if ([...input].length > MOST_CHARACTERS)
    throw badRequest(`Invalid 'input': string too long. Expected a maximum length of ${MOST_CHARACTERS}.`, 'input')
  const isVoice = (typeof voice === 'string' && voice !== '') || (isObject(voice) && typeof voice.id === 'string')
  if (!isVoice) throw badRequest("Missing required parameter: 'voice'.", 'voice')
  const format = wordOf(body, 'response_format', Object.keys(TYPES) as Format[]) ?? 'mp3'
  const speed = typeof body.speed === 'number' && body.speed >= 0.25 && body.speed <= 4 ? body.speed : 1
  const pieces = format === 'wav' || format === 'pcm' ? spoken(input, speed, format === 'wav') : prepared(format)
  const isEvents = wordOf(body, 'stream_format', ['audio', 'sse']) === 'sse'
  return new Response(streamOf(isEvents ? eventsOf(pieces, input, format) : pieces), {
    headers: { ...LABELLED, 'content-type': isEvents ? 'text/event-stream; charset=utf-8' : TYPES[format] },
  })
}

function wordOf<Word extends string>(body: Json, name: string, words: readonly Word[]): Word | undefined {
  const { [name]: value } = body
  if (value === undefined || value === null) return undefined
  const word = words.find((each) => each === value)
  if (word === undefined)
    throw badRequest(`Invalid value: '${String(value)}'. Supported values are: ${words.join(', ')}.`, name)
  return word
}

const PIECE = 1_024

function* prepared(format: keyof typeof TONES): Generator<Uint8Array> {
  const bytes = Buffer.from(TONES[format], 'base64')
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE)
}

/** PCM of 16 bits in one channel, with the header of a file whose length is open, or without. */
export function* spoken(text: string, speed: number, isFile: boolean): Generator<Uint8Array> {
  if (isFile) yield header()
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const samples = Math.round(([...word].length * SECONDS_PER_CHARACTER * RATE) / speed)
    yield* tone(frequencyOf(word), Math.max(1, samples))
  }
}

/** One of the twelve tones of an octave, as whole vibrations a second: a second of it can be repeated. */
function frequencyOf(word: string): number {
  let sum = 0
  for (const letter of word) sum += letter.codePointAt(0) ?? 0
  return Math.round(220 * 2 ** ((sum % 12) / 12))
}

/** A second of each tone, which is made once: many may listen to long texts at the same time. */
const SECONDS = new Map<number, Int16Array>()

function secondOf(frequency: number): Int16Array {
  const made = SECONDS.get(frequency)
  if (made) return made
  const second = Int16Array.from({ length: RATE }, (_, at) =>
    Math.round(8_000 * Math.sin((2 * Math.PI * frequency * at) / RATE)),
  )
  SECONDS.set(frequency, second)
  return second
}

/** The longest piece of audio that is made in one step: no word holds the thread longer, however long it is. */
const MOST_SAMPLES = RATE / 2

/** Faded at both ends, so that it does not click. */
function* tone(frequency: number, samples: number): Generator<Uint8Array> {
  const second = secondOf(frequency)
  const fade = Math.min(samples / 2, RATE / 100)
  for (let from = 0; from < samples; from += MOST_SAMPLES) {
    const place = from % RATE
    const piece = second.slice(place, place + Math.min(MOST_SAMPLES, samples - from))
    const soften = (index: number) => {
      const level = Math.min(from + index, samples - 1 - from - index) / fade
      if (level < 1) piece[index] = Math.round((piece[index] ?? 0) * level)
    }
    for (let index = 0; index < Math.min(piece.length, fade - from); index++) soften(index)
    for (let index = Math.max(0, Math.ceil(samples - 1 - fade - from)); index < piece.length; index++) soften(index)
    yield new Uint8Array(piece.buffer)
  }
}

function header(): Uint8Array {
  const bytes = Buffer.alloc(44)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(0xffff_ffff, 4)
  bytes.write('WAVEfmt ', 8)
  for (const [value, at] of [
    [16, 16],
    [RATE, 24],
    [RATE * 2, 28],
    [0xffff_ffff, 40],
  ] as const)
    bytes.writeUInt32LE(value, at)
  for (const [value, at] of [
    [1, 20],
    [1, 22],
    [2, 32],
    [16, 34],
  ] as const)
    bytes.writeUInt16LE(value, at)
  bytes.write('data', 36)
  return bytes
}

function* eventsOf(pieces: Iterable<Uint8Array>, input: string, format: Format): Generator<Uint8Array> {
  let bytes = 0
  for (const piece of pieces) {
    bytes += piece.length
    yield eventOf({ type: 'speech.audio.delta', audio: Buffer.from(piece).toString('base64') })
  }
  const seconds = format in TONES ? PREPARED_SECONDS : bytes / (RATE * 2)
  const [input_tokens, output_tokens] = [Math.ceil(input.length / 4), Math.ceil(seconds * TOKENS_PER_SECOND)]
  const usage = { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens }
  yield eventOf({ type: 'speech.audio.done', usage })
}

const eventOf = (event: object): Uint8Array => Buffer.from(`data: ${JSON.stringify(event)}\n\n`)

/** Made as it is read, while others are served between its pieces. */
export const streamOf = (pieces: Iterator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      await nextTurn()
      const { value, done } = pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
