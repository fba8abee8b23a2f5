import { useState } from 'react'
import { useSession } from '../../../app/session.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { TextArea, TextField } from '../../../ui/form/field.tsx'
import { useKeptText } from '../../../ui/kept-text.ts'
import { CallTab } from '../call-tab.tsx'
import { EntryCard } from '../entry-card.tsx'
import { MoreSettings } from '../layout.tsx'
import { codeOf } from '../request-code.tsx'
import { compareTexts, type EmbeddingEntry, type EmbeddingSettings, embeddingBody } from './embedding-call.ts'
import { SimilarityTable } from './similarity-table.tsx'

const MOST_TEXTS = 8

export function EmbeddingTab() {
  const t = useTexts().playground
  const [text, setText] = useKeptText(`embedding-${useSession().account.id}`)
  const [dimensions, setDimensions] = useState('')
  const texts = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const isWrong = dimensions !== '' && !/^[1-9]\d{0,4}$/.test(dimensions)
  const settings = texts.length > 1 && texts.length <= MOST_TEXTS && !isWrong ? { texts, dimensions } : undefined
  return (
    <CallTab<EmbeddingSettings, EmbeddingEntry>
      kind="embedding"
      action={t.compareAction}
      empty={t.emptyEmbedding}
      settings={settings}
      run={compareTexts}
      fields={
        <>
          <TextArea
            label={t.textsToCompare}
            hint={t.textsHint(MOST_TEXTS)}
            rows={5}
            value={text}
            onChange={setText}
            placeholder={t.textsExample}
          />
          <MoreSettings>
            <TextField
              label={t.dimensions}
              optional
              inputMode="numeric"
              value={dimensions}
              onChange={setDimensions}
              error={isWrong ? t.wrong.maxTokens : undefined}
            />
          </MoreSettings>
        </>
      }
      show={(entry, actions) => (
        <EntryCard
          entry={entry}
          title={entry.settings.texts.join('\n')}
          snippet={codeOf({ protocol: 'embeddings', body: embeddingBody(entry.settings) })}
          {...actions}
        >
          {entry.answer && <SimilarityTable texts={entry.settings.texts} {...entry.answer} />}
        </EntryCard>
      )}
    />
  )
}
