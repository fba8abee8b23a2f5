import { useState } from 'react'
import { field, parsed } from '../../../api/body.ts'
import { useSession } from '../../../app/session.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { TextArea, TextField } from '../../../ui/form/field.tsx'
import { useKeptText } from '../../../ui/kept-text.ts'
import { type CallEntry, callOnce } from '../call-once.ts'
import { CallTab } from '../call-tab.tsx'
import { EntryCard } from '../entry-card.tsx'
import type { Entry } from '../history/entry.ts'
import type { History } from '../history/history.ts'
import type { Outcome } from '../history/outcome.ts'
import { MoreSettings } from '../layout.tsx'
import { codeOf } from '../request-code.tsx'
import { type Similarity, similarityOf } from './similarity.ts'
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

/** `dimensions`: as typed; empty: the model's own. */
type EmbeddingSettings = { model: string; texts: readonly string[]; dimensions: string }
type EmbeddingEntry = CallEntry<EmbeddingSettings, Similarity>

const embeddingBody = ({ model, texts, dimensions }: EmbeddingSettings) => ({
  model,
  input: texts,
  ...(dimensions === '' ? {} : { dimensions: Number(dimensions) }),
})

/** Only the similarities are kept: vectors are long, and nobody reads them. */
const compareTexts = (
  history: Pick<History<EmbeddingEntry>, 'put'>,
  asked: Entry & { settings: EmbeddingSettings },
): Promise<Outcome> =>
  callOnce(history, asked, { path: 'v1/embeddings', body: embeddingBody(asked.settings) }, async (response) => {
    const data = field(parsed(await response.text()), 'data')
    if (!Array.isArray(data)) throw new TypeError('no vectors')
    return similarityOf(data.map((each) => vectorOf(field(each, 'embedding'))))
  })

function vectorOf(value: unknown): number[] {
  if (!Array.isArray(value)) throw new TypeError('no vector')
  return value.map(Number)
}
