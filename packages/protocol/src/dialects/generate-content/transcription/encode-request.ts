// A transcription for a model of this dialect that takes audio: the file inline, and an instruction.

import { unsupported } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import type {
  EncodedTranscription,
  TranscriptionRequest,
  TranscriptionTarget,
} from '../../shared/transcription/transcription.ts'

/** Fields that the instruction or the configuration carries, or that the reply of this gateway is made by. */
const CARRIED: readonly string[] = ['language', 'prompt', 'temperature', 'response_format', 'stream']

const TASKS = {
  transcribe: 'Transcribe the speech in this audio in the language that is spoken. Answer with the transcript alone',
  translate: 'Translate the speech in this audio into English. Answer with the translation alone',
} as const
const ALONE = ': no timestamps, no names of speakers, no comments. If nobody speaks, answer with nothing.'

/** Throws RequestError for a format that has timestamps or speakers: a model's guesses of them would look like facts. */
export function encodeTranscription(
  request: TranscriptionRequest,
  { maxOutput, warn }: TranscriptionTarget,
  codec: Codec,
): EncodedTranscription {
  const { format, fields, file, temperature } = request
  if (format !== 'json' && format !== 'text')
    throw unsupported('response_format', `This model has no ${format}. Use json or text as response_format.`)
  for (const { name } of fields) {
    const base = name.replace(/\[.*$/, '')
    if (!CARRIED.includes(base)) warn(base, 'dropped')
  }
  const generationConfig = { maxOutputTokens: maxOutput, ...(temperature === undefined ? {} : { temperature }) }
  const before = `{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":${JSON.stringify(file.mediaType)},"data":"`
  const after = `"}},{"text":${JSON.stringify(instructionOf(request))}}]}],"generationConfig":${JSON.stringify(generationConfig)}}`
  return { contentType: 'application/json', body: [codec.encode(before), 'file in base64', codec.encode(after)] }
}

function instructionOf({ task, language, prompt }: TranscriptionRequest): string {
  const spoken = language === undefined ? '' : ` The speech is in the language '${language}'.`
  const context = prompt === undefined ? '' : `\nContext, for spelling and style only:\n${prompt}`
  return TASKS[task] + ALONE + spoken + context
}
