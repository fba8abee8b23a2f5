import { useState } from 'react'
import { parsed, textField } from '../../../api/body.ts'
import { useTexts } from '../../../i18n/language.tsx'
import { requestSnippet } from '../../../snippets/request-snippet.ts'
import type { Access, Snippet } from '../../../snippets/types.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { type CallEntry, callOnce } from '../call-once.ts'
import { CallTab } from '../call-tab.tsx'
import { EntryCard } from '../entry-card.tsx'
import type { Entry } from '../history/entry.ts'
import type { History } from '../history/history.ts'
import type { Outcome } from '../history/outcome.ts'
import { MoreSettings } from '../layout.tsx'
import { AddFiles } from '../pictures.tsx'
import type { CodeLanguage } from '../request-code.tsx'
import { useRecorder } from './record.ts'

const LARGEST = 25 * 1024 * 1024

export function TranscriptionTab() {
  const t = useTexts().playground
  const toast = useToast()
  const [recording, setRecording] = useState<File | undefined>()
  const [language, setLanguage] = useState('')
  const take = (file: File | undefined) => {
    if (file && file.size > LARGEST) toast(t.tooLarge(file.name, LARGEST / 1024 / 1024), 'bad')
    else if (file) setRecording(file)
  }
  const recorder = useRecorder(take, () => toast(t.noMicrophone, 'bad'))
  const settings = recording && { file: recording.name, language: language.trim() }
  return (
    <CallTab<TranscriptionSettings, TranscriptionEntry>
      kind="transcription"
      action={t.transcribeAction}
      empty={t.emptyTranscription}
      settings={recorder.isRecording ? undefined : settings}
      run={(history, asked) => transcribe(history, asked, recording ?? new Blob())}
      fields={
        <>
          <div className="flex flex-wrap gap-2">
            <AddFiles
              label={t.chooseAudio}
              multiple={false}
              types={['audio/*', 'video/mp4', 'video/webm']}
              onAdd={([file]) => take(file)}
            />
            {recorder.isRecording ? (
              <Button icon="stop" onClick={recorder.stop}>
                {t.stopRecording}
              </Button>
            ) : (
              <Button icon="record" onClick={() => void recorder.start()}>
                {t.record}
              </Button>
            )}
          </div>
          <p role="status" className="text-sm break-all text-muted">
            {recorder.isRecording ? t.recording : (recording?.name ?? t.noAudio)}
          </p>
          <MoreSettings>
            <TextField
              label={t.spokenLanguage}
              hint={t.spokenLanguageHint}
              optional
              value={language}
              onChange={setLanguage}
            />
          </MoreSettings>
        </>
      }
      show={(entry, { onAgain, onRemove }) => (
        <EntryCard
          entry={entry}
          title={entry.settings.file}
          snippet={(language, access) => transcriptionCode(entry.settings, language, access)}
          onAgain={recording?.name === entry.settings.file ? onAgain : undefined}
          onRemove={onRemove}
        >
          {entry.answer && <p className="break-words whitespace-pre-wrap">{entry.answer.text}</p>}
        </EntryCard>
      )}
    />
  )
}

/** A transcription as code: the recording is a file there. */
const transcriptionCode = (
  { model, file, language }: TranscriptionSettings,
  codeLanguage: CodeLanguage,
  access: Access,
): Snippet => {
  const body = { model, file, ...(language === '' ? {} : { language }) }
  return requestSnippet(codeLanguage, { protocol: 'transcriptions', body }, access)
}

/** `file`: its name. `language`: as typed; empty: the model finds out. */
type TranscriptionSettings = { model: string; file: string; language: string }
/** The answer is the text. */
type TranscriptionEntry = CallEntry<TranscriptionSettings, { text: string }>

/** The recording itself is not kept: it may be large, and is on the person's disk. */
function transcribe(
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
