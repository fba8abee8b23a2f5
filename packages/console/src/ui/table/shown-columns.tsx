// Which columns of a table are shown: those that its room has a place for, and those that the person chose, which this browser keeps.

import { type RefObject, useLayoutEffect, useState } from 'react'
import { useTexts } from '../../i18n/language.tsx'
import { IconButton } from '../button.tsx'
import { Menu, type MenuItem } from '../overlay.tsx'

/** Below this width, rows are cards or pairs of lines (see styles.css), which leave out nothing for want of room. */
const LEAST_FOR_ROWS = 620

type Named = { id: string; label: string; control?: unknown; drop?: number }
type Choices = ReadonlyMap<string, boolean>

export function useShownColumns<C extends Named>(
  all: readonly C[],
  name: string | undefined,
  element: RefObject<HTMLElement | null>,
  isEmpty: boolean,
): { columns: readonly C[]; items: MenuItem[] | undefined } {
  const room = useRoom(element, isEmpty)
  const [choices, choose] = useChoices(name)
  const isRows = room >= LEAST_FOR_ROWS
  const fits = ({ drop = 0 }: C) => room >= drop
  const isShown = (column: C) => !isRows || (choices.get(column.id) ?? fits(column))
  const columns = all.filter(isShown)
  // Where nothing is left out, there is nothing to choose.
  if (name === undefined || all.every(({ drop }) => drop === undefined)) return { columns, items: undefined }
  // What the row is about stays.
  const items = all.slice(1).flatMap((column): MenuItem[] => {
    if (column.control) return []
    const { id, label } = column
    const toggle = () => choose(id, !isShown(column), fits(column))
    return [{ id, label, icon: isShown(column) ? 'check' : 'plus', isCurrent: isShown(column), onSelect: toggle }]
  })
  return { columns, items }
}

/** The width of the table, measured before it is painted. */
function useRoom(element: RefObject<HTMLElement | null>, isEmpty: boolean): number {
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY)
  // biome-ignore lint/correctness/useExhaustiveDependencies: an empty table is not on the page.
  useLayoutEffect(() => {
    const measured = element.current
    if (!measured) return
    setRoom(measured.clientWidth)
    const observer = new ResizeObserver(() => setRoom(measured.clientWidth))
    observer.observe(measured)
    return () => observer.disconnect()
  }, [element, isEmpty])
  return room
}

const keyOf = (name: string): string => `trivium-${name}-columns`

/** Kept as `tokens,-upstream`: shown, and left out. */
function useChoices(name: string | undefined): [Choices, (id: string, isShown: boolean, isUsual: boolean) => void] {
  const [choices, setChoices] = useState<Choices>(() => {
    const kept = name === undefined ? null : localStorage.getItem(keyOf(name))
    const ids = (kept ?? '').split(',').filter((id) => id !== '')
    return new Map(ids.map((id) => (id.startsWith('-') ? [id.slice(1), false] : [id, true])))
  })
  const choose = (id: string, isShown: boolean, isUsual: boolean) => {
    const next = new Map([...choices].filter(([each]) => each !== id))
    if (isShown !== isUsual) next.set(id, isShown)
    if (name !== undefined)
      localStorage.setItem(keyOf(name), [...next].map(([each, isOn]) => (isOn ? each : `-${each}`)).join(','))
    setChoices(next)
  }
  return [choices, choose]
}

/** At the end of the head. */
export function ColumnMenu({ items }: { items: readonly MenuItem[] }) {
  const { common } = useTexts()
  return (
    <span className="relative -mr-2 ml-1 inline-block size-4 align-middle">
      <span className="absolute -inset-2 grid place-items-center">
        <Menu trigger={<IconButton icon="columns" label={common.columns} />} items={items} />
      </span>
    </span>
  )
}
