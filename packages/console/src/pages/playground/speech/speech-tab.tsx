import { useState } from 'react'
import { useSession } from '../../../app/session.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { ButtonAnchor } from '../../../ui/button.tsx'
import { SelectField, TextArea, TextField } from '../../../ui/form/field.tsx'
import { useKeptText } from '../../../ui/kept-text.ts'
import { CallTab } from '../call-tab.tsx'
import { EntryCard } from '../entry-card.tsx'
import { MoreSettings } from '../layout.tsx'
import { codeOf } from '../request-code.tsx'
import { FORMATS, type SpeechEntry, type SpeechSettings, speak, speechBody } from './speech-call.ts'

export function SpeechTab() {
  const t = useTexts().playground
  const [text, setText] = useKeptText(`speech-${useSession().account.id}`)
  const [voice, setVoice] = useState('alloy')
  const [format, setFormat] = useState('mp3')
  const [instructions, setInstructions] = useState('')
  const isWhole = text.trim() !== '' && voice.trim() !== ''
  const settings = { text: text.trim(), voice: voice.trim(), format, instructions: instructions.trim() }
  return (
    <CallTab<SpeechSettings, SpeechEntry>
      kind="speech"
      action={t.speakAction}
      empty={t.emptySpeech}
      settings={isWhole ? settings : undefined}
      run={speak}
      fields={
        <>
          <TextArea label={t.textToSpeak} rows={4} value={text} onChange={setText} placeholder={t.speechExample} />
          <TextField label={t.voice} hint={t.voiceHint} value={voice} onChange={setVoice} />
          <MoreSettings>
            <SelectField
              label={t.format}
              value={format}
              onChange={setFormat}
              options={FORMATS.map((value) => ({ value, label: value.toUpperCase() }))}
            />
            <TextArea
              label={t.instructions}
              hint={t.instructionsHint}
              optional
              rows={2}
              value={instructions}
              onChange={setInstructions}
            />
          </MoreSettings>
        </>
      }
      show={(entry, actions) => (
        <EntryCard
          entry={entry}
          title={entry.settings.text}
          snippet={codeOf({ protocol: 'speech', body: speechBody(entry.settings) })}
          {...actions}
        >
          {entry.answer !== undefined && (
            <Audio src={entry.answer} name={entry.settings.text} format={entry.settings.format} />
          )}
        </EntryCard>
      )}
    />
  )
}

function Audio({ src, name, format }: { src: string; name: string; format: string }) {
  const t = useTexts().playground
  return (
    <div className="flex flex-wrap items-center gap-3">
      {/* biome-ignore lint/a11y/useMediaCaption: the text that is spoken stands above. */}
      <audio controls src={src} aria-label={name} className="max-w-full" />
      <ButtonAnchor small icon="download" href={src} download={`speech.${format}`}>
        {t.download}
      </ButtonAnchor>
    </div>
  )
}
