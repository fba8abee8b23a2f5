import type { ModelRow } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Badge } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Duration, useNumber } from '../../ui/values.tsx'
import { Capabilities } from './capabilities.tsx'
import { ShortPrice } from './price.tsx'
import { hasTokens, labelOf } from './prices.ts'

/** Rows have two lines, and so has what stands in their place while they load. */
const TWO_LINES = 'min-h-10 w-24'

/** `models`: of the type that is shown. Without one that counts tokens, their columns would be empty. `shared`: the unit of most prices. */
export function useModelColumns(models: readonly ModelRow[], shared: string | undefined): Column<ModelRow>[] {
  const t = useTexts().models
  const countsTokens = models.length === 0 || models.some(hasTokens)
  const columns: Column<ModelRow>[] = [
    { id: 'model', label: t.model, shrinks: true, skeleton: 'min-h-10 w-40', cell: (row) => <Name model={row} /> },
    {
      id: 'copy',
      label: t.id,
      control: 'icon',
      skeleton: 'w-7',
      cell: (row) => <CopyButton text={row.id} label={row.id} />,
    },
    {
      id: 'type',
      drop: 700,
      label: t.type,
      skeleton: 'w-10',
      cell: (row) => <Badge>{labelOf(t.types, row.type)}</Badge>,
    },
    { id: 'capabilities', drop: 820, label: t.supports, skeleton: 'w-32', cell: (row) => <Capabilities model={row} /> },
    { id: 'price', label: t.price, skeleton: TWO_LINES, cell: (row) => <ShortPrice model={row} shared={shared} /> },
    {
      id: 'limits',
      drop: 760,
      label: t.context,
      align: 'right',
      skeleton: TWO_LINES,
      cell: (row) => (hasLimits(row) ? <Limits model={row} /> : null),
    },
    {
      id: 'speed',
      drop: 880,
      label: t.speed,
      align: 'right',
      skeleton: 'w-12',
      cell: ({ median_first_token_ms: ms }) => (ms === null ? null : <Duration ms={ms} />),
    },
  ]
  return columns.filter(({ id }) => countsTokens || (id !== 'limits' && id !== 'speed'))
}

function Name({ model: { id, vendor } }: { model: ModelRow }) {
  return (
    <span className="flex min-w-0 flex-col">
      <span title={id} className="font-mono text-sm cards:break-all rows:truncate">
        {id}
      </span>
      {vendor && <span className="text-sm font-normal text-muted">{vendor}</span>}
    </span>
  )
}

const hasLimits = ({ limits: { context, max_output: output } }: ModelRow): boolean =>
  typeof context === 'number' || typeof output === 'number'

/** A text model has limits on the tokens of its context and of its output. */
function Limits({ model: { limits } }: { model: ModelRow }) {
  const t = useTexts().models
  const number = useNumber()
  const { context, max_output: output } = limits
  return (
    <span className="inline-flex flex-col items-end">
      <span>{typeof context === 'number' ? number(context) : '\u2013'}</span>
      {typeof output === 'number' && (
        <span className="text-sm whitespace-nowrap text-muted">{t.upToOutput(number(output))}</span>
      )}
    </span>
  )
}
