// The form of a transcription for an upstream: the fields of the client's own, with the model's name at the upstream.

import { unsupported } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { isText } from '../../shared/transcription/transcript.ts'
import type {
  EncodedTranscription,
  TranscriptFormat,
  TranscriptionRequest,
  TranscriptionTarget,
} from '../../shared/transcription/transcription.ts'

/** Throws RequestError for a field without which the answer would be another one. */
export function encodeTranscription(
  { fields, file, format }: TranscriptionRequest,
  { model, lacks, boundary, warn }: TranscriptionTarget,
  codec: Codec,
): EncodedTranscription {
  // All text fields first: an upstream can then judge the request before it has received the file.
  let text = field(boundary, 'model', model)
  for (const { name, value: written } of fields) {
    const base = name.replace(/\[.*$/, '')
    const value = base === 'response_format' ? askedFor(format, model) : written
    // Text has no timestamps, and without segments there would be none anyway.
    if (base === 'timestamp_granularities' && isText(format)) warn(base, 'dropped')
    else if (!lacks.includes(base)) text += field(boundary, name, value)
    // A stream can be made of a whole answer.
    else if (base === 'stream') continue
    else if (base !== 'response_format') warn(base, 'dropped')
    else if (value !== 'json' && format !== 'text')
      throw unsupported(base, `The upstream of this model has no ${base} but json and text.`)
  }
  const disposition = `content-disposition: form-data; name="file"; filename="audio.${file.extension}"`
  text += `--${boundary}\r\n${disposition}\r\ncontent-type: ${file.mediaType}\r\n\r\n`
  const body = [codec.encode(text), 'file', codec.encode(`\r\n--${boundary}--\r\n`)] as const
  return { contentType: `multipart/form-data; boundary=${boundary}`, body }
}

/**
 * Text tells nothing of what a transcript costs: the gateway writes it from JSON. Models of the kind of Whisper report the
 * duration with the segments alone; others have no segments, and report tokens.
 */
function askedFor(format: TranscriptFormat, model: string): TranscriptFormat {
  if (!isText(format)) return format
  if (/whisper/i.test(model)) return 'verbose_json'
  return format === 'text' ? 'json' : format
}

const field = (boundary: string, name: string, value: string): string =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`

/** As browsers do it. */
const quoted = (name: string): string => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
