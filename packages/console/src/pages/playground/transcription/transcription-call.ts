import { parsed, textField } from '../../../api/body.ts'
import { type CallEntry, callOnce } from '../call-once.ts'
import type { Entry } from '../history/entry.ts'
import type { History } from '../history/history.ts'
import type { Outcome } from '../history/outcome.ts'

/** `file`: its name. `language`: as typed; empty: the model finds out. */
export type TranscriptionSettings = { model: string; file: string; language: string }
/** The answer is the text. */
export type TranscriptionEntry = CallEntry<TranscriptionSettings, { text: string }>

/** The recording itself is not kept: it may be large, and is on the person's disk. */
export function transcribe(
  history: Pick<History<TranscriptionEntry>, 'put'>,
  asked: Entry & { settings: TranscriptionSettings },
  recording: Blob,
): Promise<Outcome> {
  const { model, file, language } = asked.settings
  const form = new FormData()
  form.set('model', model)
  form.set('response_format', 'json')
  if (language !== '') form.set('language', language)
  form.set('file', recording, file)
  return callOnce(history, asked, { path: 'v1/audio/transcriptions', body: form }, async (response) => {
    const text = await response.text()
    return { text: textField(parsed(text), 'text') }
  })
}
