// POST /v1/audio/transcriptions and /v1/audio/translations: a fixed transcript, as long as the audio.
import { json, LABELLED } from '../delivery/json.ts'
import { badRequest, SandboxError } from '../request/errors.ts'
import { type AudioForm, readAudioForm, type UploadedAudio } from './form.ts'
import { diarized, spoken, subtitles, type Transcript, textOf, transcriptOf, usageOf, verbose } from './transcript.ts'

export const SANDBOX_TRANSCRIPTION = 'sandbox-transcription'
const FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json'] as const
type Format = (typeof FORMATS)[number]

/** Where nothing tells how long the audio is. */
const BYTES_PER_SECOND = 4_000
const SPEAKERS = ['A', 'B']

export async function answerTranscription(request: Request, url: URL): Promise<Response> {
  const form = await readAudioForm(request)
  const [model = ''] = form.fields.get('model') ?? []
  if (model.split(':', 1)[0] !== SANDBOX_TRANSCRIPTION) {
    const message = `The model '${model}' does not exist.`
    throw new SandboxError({ status: 404, message, param: 'model', code: 'model_not_found' })
  }
  if (!form.file?.bytes) throw badRequest("Missing required parameter: 'file'.", 'file')
  const [asked = 'json'] = form.fields.get('response_format') ?? []
  const format = FORMATS.find((each) => each === asked)
  if (!format) throw badRequest(`Invalid value for 'response_format': ${asked}.`, 'response_format')
  const speakers = form.fields.get('known_speaker_names[]') ?? SPEAKERS
  const transcript = transcriptOf(secondsOf(form, form.file), speakers)
  const task = url.pathname.endsWith('translations') ? 'translate' : 'transcribe'
  return form.fields.get('stream')?.[0] === 'true'
    ? eventsOf(transcript, format)
    : whole(transcript, format, task, form.fields.get('timestamp_granularities[]') ?? [])
}

/** As the gateway has measured it; else as the head of a WAV file says, or by the number of bytes. */
function secondsOf({ fields }: AudioForm, { bytes, beginning }: UploadedAudio): number {
  const told = Number(fields.get('sandbox_seconds')?.[0])
  const perSecond =
    beginning.length >= 44 && beginning.toString('latin1', 8, 16) === 'WAVEfmt ' ? beginning.readUInt32LE(28) : 0
  const seconds = told > 0 ? told : perSecond > 0 ? (bytes - 44) / perSecond : bytes / BYTES_PER_SECOND
  return Math.round(seconds * 1_000) / 1_000
}

function whole(transcript: Transcript, format: Format, task: string, granularities: readonly string[]): Response {
  if (format === 'verbose_json') return json(verbose(transcript, task, granularities))
  if (format === 'diarized_json') return json(diarized(transcript))
  if (format === 'json') return json({ text: textOf(transcript), usage: usageOf(transcript) })
  const text = format === 'text' ? `${textOf(transcript)}\n` : subtitles(transcript, format)
  return new Response(text, { headers: { ...LABELLED, 'content-type': 'text/plain; charset=utf-8' } })
}

function eventsOf(transcript: Transcript, format: Format): Response {
  const text = textOf(transcript)
  const deltas = text.split(/(?<= )/).map((delta) => ({ type: 'transcript.text.delta', delta }))
  const events = [
    ...(format === 'diarized_json' ? transcript.segments.map(spoken) : deltas),
    { type: 'transcript.text.done', text, usage: usageOf(transcript) },
  ]
  const body = `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`
  return new Response(body, { headers: { ...LABELLED, 'content-type': 'text/event-stream; charset=utf-8' } })
}
