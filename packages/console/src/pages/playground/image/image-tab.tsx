import { type FormEvent, useState } from 'react'
import { useSession } from '../../../app/session.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { Segments } from '../../../ui/form/choices.tsx'
import { TextArea } from '../../../ui/form/field.tsx'
import { useKeptText } from '../../../ui/kept-text.ts'
import { EmptyState } from '../../../ui/states.tsx'
import { newId, useHistory } from '../history/history.ts'
import { Columns } from '../layout.tsx'
import { ModelChoice } from '../model-choice.tsx'
import { useModels } from '../models.ts'
import { AddFiles, Thumbnails, useReadPictures } from '../pictures.tsx'
import { PriceNote } from '../price-note.tsx'
import { type ImageEntry, makeImages } from './image-call.ts'
import { ImageSettingsFields, NO_IMAGE_SETTINGS } from './image-settings.tsx'
import { ImageView } from './image-view.tsx'

const MOST_INPUTS = 4

export function ImageTab() {
  const t = useTexts().playground
  const history = useHistory<ImageEntry>('image')
  const choice = useModels('image')
  const [mode, setMode] = useState<'make' | 'edit'>('make')
  const [prompt, setPrompt] = useKeptText(`image-${useSession().account.id}`)
  const [chosen, setChosen] = useState(NO_IMAGE_SETTINGS)
  const [inputs, setInputs] = useState<readonly string[]>([])
  const [mask, setMask] = useState('')
  const [announced, setAnnounced] = useState('')
  const readPictures = useReadPictures(MOST_INPUTS)
  const model = choice.model?.id ?? ''
  const isEdit = mode === 'edit'
  const canMake = prompt.trim() !== '' && model !== '' && (!isEdit || inputs.length > 0)

  const make = async (entry: Pick<ImageEntry, 'settings' | 'inputs' | 'mask'>) => {
    setAnnounced('')
    const fresh = { id: newId(), at: Date.now(), images: [], partial: '', outcome: { state: 'running' as const } }
    const { state } = await makeImages(history, { ...entry, ...fresh })
    setAnnounced(t.ended[state])
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!canMake) return
    const settings = { ...chosen, model, prompt: prompt.trim() }
    void make({ settings, inputs: isEdit ? inputs : [], mask: isEdit ? mask : '' })
  }
  return (
    <form onSubmit={submit}>
      <Columns
        settings={
          <>
            <ModelChoice choice={choice} />
            <div>
              <Segments<'make' | 'edit'>
                label={t.mode}
                value={mode}
                onChange={setMode}
                options={[
                  { value: 'make', label: t.make },
                  { value: 'edit', label: t.edit },
                ]}
              />
            </div>
            {isEdit && (
              <div className="flex flex-col gap-3">
                <Thumbnails urls={inputs} onRemove={(at) => setInputs(inputs.filter((_, index) => index !== at))} />
                <div className="flex flex-wrap gap-2">
                  <AddFiles
                    label={t.addPictures}
                    onAdd={async (files) => {
                      const urls = await readPictures(files, inputs.length)
                      setInputs((former) => [...former, ...urls])
                    }}
                  />
                  {mask === '' && (
                    <AddFiles
                      label={t.addMask}
                      multiple={false}
                      types={['image/png']}
                      onAdd={async (files) => setMask((await readPictures(files, 0))[0] ?? '')}
                    />
                  )}
                </div>
                {mask !== '' && (
                  <div>
                    <div className="mb-1 text-sm text-muted">{t.mask}</div>
                    <Thumbnails urls={[mask]} onRemove={() => setMask('')} />
                  </div>
                )}
                <p className="text-sm text-muted">{t.maskHint}</p>
              </div>
            )}
            <TextArea label={t.prompt} rows={3} value={prompt} onChange={setPrompt} placeholder={t.imageExample} />
            <ImageSettingsFields
              model={choice.model}
              chosen={chosen}
              onChange={(change) => setChosen({ ...chosen, ...change })}
            />
            <PriceNote
              model={choice.model}
              group={choice.builtIn?.group ?? ''}
              count={chosen.partials === 0 ? chosen.count : 1}
            />
            <Button type="submit" variant="primary" wide disabled={!canMake}>
              {isEdit ? t.editAction : t.makeAction}
            </Button>
          </>
        }
      >
        <div role="status" className="sr-only">
          {announced}
        </div>
        {history.entries?.length === 0 && <EmptyState title={t.emptyImage}>{t.historyNote}</EmptyState>}
        {history.entries?.map((entry) => (
          <ImageView
            key={entry.id}
            entry={entry}
            onAgain={() => void make(entry)}
            onRemove={() => history.remove([entry.id])}
            onEdit={(url) => {
              setMode('edit')
              setInputs([url])
              setMask('')
              window.scrollTo({ top: 0 })
            }}
          />
        ))}
      </Columns>
    </form>
  )
}
