import { useState } from 'react'
import { useTexts } from '../../../i18n/language.tsx'
import { requestSnippet } from '../../../snippets/request-snippet.ts'
import type { Access, Snippet } from '../../../snippets/types.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { CallTab } from '../call-tab.tsx'
import { EntryCard } from '../entry-card.tsx'
import { MoreSettings } from '../layout.tsx'
import { AddFiles } from '../pictures.tsx'
import type { CodeLanguage } from '../request-code.tsx'
import { useRecorder } from './record.ts'
import { type TranscriptionEntry, type TranscriptionSettings, transcribe } from './transcription-call.ts'

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
