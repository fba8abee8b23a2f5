import { type FormEvent, useState } from 'react'
import { useSession } from '../../../app/session.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { SelectField, TextArea } from '../../../ui/form/field.tsx'
import { useKeptText } from '../../../ui/kept-text.ts'
import { EmptyState } from '../../../ui/states.tsx'
import { newId, useHistory } from '../history/history.ts'
import { textsOf } from '../image/image-settings.tsx'
import { Columns, MoreSettings } from '../layout.tsx'
import { ModelChoice } from '../model-choice.tsx'
import { useModels } from '../models.ts'
import { AddFiles, Thumbnails, useReadPictures } from '../pictures.tsx'
import { PriceNote } from '../price-note.tsx'
import { usualSeconds } from './length.ts'
import { submitVideo, type VideoEntry, type VideoSettings } from './video-call.ts'
import { VideoView } from './video-view.tsx'

const RESOLUTIONS = ['480p', '720p', '1080p']
const RATIOS = ['16:9', '9:16', '4:3', '3:4', '1:1', '21:9']
const LONGEST_SECONDS = 60

export function VideoTab() {
  const t = useTexts().playground
  const history = useHistory<VideoEntry>('video')
  const choice = useModels('video')
  const [prompt, setPrompt] = useKeptText(`video-${useSession().account.id}`)
  const [typed, setTyped] = useState({ resolution: '', ratio: '', picture: '' })
  /** undefined: not chosen yet. */
  const [seconds, setSeconds] = useState<string>()
  const readPictures = useReadPictures(1)
  const limits = choice.model?.limits ?? {}
  const chosen = { ...typed, seconds: seconds ?? usualSeconds(limits) }
  const setChosen = (change: Partial<typeof chosen>) => {
    if (change.seconds !== undefined) setSeconds(change.seconds)
    setTyped((former) => ({ ...former, ...change }))
  }
  const settings: VideoSettings = { ...chosen, prompt: prompt.trim(), model: choice.model?.id ?? '' }
  const canMake = settings.prompt !== '' && settings.model !== ''

  const make = (asked: VideoSettings) =>
    void submitVideo(history, {
      id: newId(),
      at: Date.now(),
      settings: asked,
      task: '',
      status: 'submitting',
      url: '',
      outcome: { state: 'running' },
    })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (canMake) make(settings)
  }
  const select = (name: 'seconds' | 'resolution' | 'ratio', values: readonly string[]) => (
    <SelectField
      label={t[name]}
      value={chosen[name]}
      onChange={(value) => setChosen({ [name]: value })}
      options={[{ value: '', label: t.byModel }, ...values.map((value) => ({ value, label: value }))]}
    />
  )
  return (
    <form onSubmit={submit}>
      <Columns
        settings={
          <>
            <ModelChoice choice={choice} />
            <TextArea label={t.prompt} rows={3} value={prompt} onChange={setPrompt} placeholder={t.videoExample} />
            <MoreSettings>
              {select('seconds', secondsOf(limits.seconds))}
              {select('resolution', textsOf(limits.resolutions) ?? RESOLUTIONS)}
              {select('ratio', textsOf(limits.ratios) ?? RATIOS)}
              {limits.images !== 0 && (
                <div className="flex flex-col items-start gap-2">
                  {chosen.picture === '' ? (
                    <AddFiles
                      label={t.firstFrame}
                      multiple={false}
                      onAdd={async (files) => {
                        const [picture = ''] = await readPictures(files, 0)
                        setChosen({ picture })
                      }}
                    />
                  ) : (
                    <Thumbnails urls={[chosen.picture]} onRemove={() => setChosen({ picture: '' })} />
                  )}
                </div>
              )}
            </MoreSettings>
            <PriceNote
              model={choice.model}
              group={choice.builtIn?.group ?? ''}
              count={Number(chosen.seconds)}
              chosen={chosen}
            />
            <Button type="submit" variant="primary" wide disabled={!canMake}>
              {t.makeVideo}
            </Button>
          </>
        }
      >
        {history.entries?.length === 0 && <EmptyState title={t.emptyVideo}>{t.historyNote}</EmptyState>}
        {history.entries?.map((entry) => (
          <VideoView
            key={entry.id}
            entry={entry}
            history={history}
            onAgain={() => make(entry.settings)}
            onRemove={() => history.remove([entry.id])}
          />
        ))}
      </Columns>
    </form>
  )
}

function secondsOf(range: unknown): string[] {
  const [least, most] = Array.isArray(range) ? range.map(Number) : []
  const from = least ?? 1
  const to = Math.min(most ?? 12, LONGEST_SECONDS)
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => String(from + index))
}
