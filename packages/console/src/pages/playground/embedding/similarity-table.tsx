import { useTexts } from '../../../i18n/language.tsx'
import { useNumber } from '../../../ui/values.tsx'
import type { Similarity } from './similarity.ts'

/** A square of figures; the nearer two texts are, the stronger its colour, which says nothing that the figure does not say. */
export function SimilarityTable({ texts, dimensions, closeness }: Similarity & { texts: readonly string[] }) {
  const t = useTexts().playground
  const number = useNumber()
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="overflow-x-auto">
        <table className="text-sm" aria-label={t.similarity}>
          <thead>
            <tr>
              <td />
              {texts.map((text, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the same text may be there twice.
                <th key={index} scope="col" title={text} className="px-2 py-1 text-right font-medium">
                  {index + 1}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {texts.map((text, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same text may be there twice.
              <tr key={row}>
                <th scope="row" className="max-w-64 truncate py-1 pr-3 text-left font-normal" title={text}>
                  {row + 1} {text}
                </th>
                {closeness[row]?.map((value, column) => (
                  <td
                    // biome-ignore lint/suspicious/noArrayIndexKey: columns are texts.
                    key={column}
                    className="px-2 py-1 text-right font-mono tabular-nums"
                    style={{ background: `color-mix(in oklab, var(--color-accent) ${shade(value)}%, transparent)` }}
                  >
                    {value.toFixed(3)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="text-sm text-muted">{t.similarityNote(number(dimensions))}</p>
    </div>
  )
}

/** At most a third, so that the figure stays readable in both themes. */
const shade = (value: number): number => Math.round(Math.max(0, Math.min(1, value)) * 30)
