import { field, parsed } from '../../../api/body.ts'
import { type CallEntry, callOnce } from '../call-once.ts'
import type { Entry } from '../history/entry.ts'
import type { History } from '../history/history.ts'
import type { Outcome } from '../history/outcome.ts'
import { type Similarity, similarityOf } from './similarity.ts'

/** `dimensions`: as typed; empty: the model's own. */
export type EmbeddingSettings = { model: string; texts: readonly string[]; dimensions: string }
export type EmbeddingEntry = CallEntry<EmbeddingSettings, Similarity>

export const embeddingBody = ({ model, texts, dimensions }: EmbeddingSettings) => ({
  model,
  input: texts,
  ...(dimensions === '' ? {} : { dimensions: Number(dimensions) }),
})

/** Only the similarities are kept: vectors are long, and nobody reads them. */
export const compareTexts = (
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
