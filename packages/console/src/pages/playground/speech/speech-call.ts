import { type CallEntry, callOnce } from '../call-once.ts'
import { dataUrl } from '../data-url.ts'
import type { Entry } from '../history/entry.ts'
import type { History } from '../history/history.ts'
import type { Outcome } from '../history/outcome.ts'

/** `instructions`: how to speak; empty: as the model likes. */
export type SpeechSettings = { model: string; text: string; voice: string; format: string; instructions: string }
/** The answer is the audio as a data URL. */
export type SpeechEntry = CallEntry<SpeechSettings, string>

export const speechBody = ({ model, text, voice, format, instructions }: SpeechSettings) => ({
  model,
  input: text,
  voice,
  response_format: format,
  ...(instructions === '' ? {} : { instructions }),
})

/** Formats that browsers play, with the type that they know. */
const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
}
export const FORMATS = Object.keys(TYPES)

export const speak = (
  history: Pick<History<SpeechEntry>, 'put'>,
  asked: Entry & { settings: SpeechSettings },
): Promise<Outcome> =>
  callOnce(history, asked, { path: 'v1/audio/speech', body: speechBody(asked.settings) }, async (response) => {
    const bytes = await response.arrayBuffer()
    if (bytes.byteLength === 0) throw new TypeError('no audio')
    return dataUrl(new Blob([bytes], { type: TYPES[asked.settings.format] ?? 'audio/mpeg' }))
  })
