// Columns of the list of requests that a person chooses to see; kept in this browser.
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/overlay.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import type { ColumnId } from './columns.tsx'

const STORED = 'trivium-request-columns'
/** Beside them at 1280 px, the account and the model could not be read. */
const OPTIONAL = ['key', 'tokens', 'paid'] as const satisfies readonly ColumnId[]
type Optional = (typeof OPTIONAL)[number]

export type ChosenColumns = { shown: readonly Optional[]; hidden: readonly Optional[]; toggle(id: Optional): void }

export function useChosenColumns(): ChosenColumns {
  const [shown, setShown] = useState<readonly Optional[]>(() => {
    const stored = (localStorage.getItem(STORED) ?? '').split(',')
    return OPTIONAL.filter((id) => stored.includes(id))
  })
  const toggle = (id: Optional) => {
    const next = OPTIONAL.filter((each) => shown.includes(each) !== (each === id))
    localStorage.setItem(STORED, next.join(','))
    setShown(next)
  }
  return { shown, hidden: OPTIONAL.filter((id) => !shown.includes(id)), toggle }
}

/** `columns`: all that the person may see, with their names. */
export function ColumnMenu({
  chosen: { shown, toggle },
  columns,
}: {
  chosen: ChosenColumns
  columns: readonly { id: string; label: string }[]
}) {
  const t = useOperateTexts().requests
  const items = OPTIONAL.flatMap((id) => {
    const column = columns.find((each) => each.id === id)
    if (!column) return []
    const isShown = shown.includes(id)
    return [
      {
        label: column.label,
        icon: isShown ? ('check' as const) : ('plus' as const),
        isCurrent: isShown,
        onSelect: () => toggle(id),
      },
    ]
  })
  return <Menu trigger={<Button>{t.columns}</Button>} items={items} />
}
