// biome-ignore-all lint/a11y/noRedundantRoles: browsers drop the roles of a table that is shown as blocks.

// A table where there is room for its columns, less important ones left out first. On phones each row is two lines, or a card: its first
// line is the first cell with the controls beside it, and labelled values follow.

import { type ReactNode, useContext, useRef } from 'react'
import { useTexts } from '../i18n/language.tsx'
import { classes } from './classes.ts'
import { CardTitle } from './page.tsx'
import { Skeleton } from './states.tsx'
import {
  CardLabel,
  Cell,
  type Choice,
  ChoiceBox,
  type Column,
  cellClass,
  isRight,
  ROW,
  ROW_OF_LINES,
} from './table/cell.tsx'
import { ColumnMenu, useShownColumns } from './table/shown-columns.tsx'
import { decimalsOf } from './values.tsx'

export type { Choice, Column } from './table/cell.tsx'

export type TableProps<T> = {
  label: string
  /** The name under which this browser keeps the columns that the person chose. With it, there is a menu of them. */
  columnsKept?: string | undefined
  /** Has many columns: it needs more room to be shown as rows. */
  broad?: boolean | undefined
  /** Has a name and a few figures: it is shown as rows everywhere. */
  slim?: boolean | undefined
  columns: readonly Column<T>[]
  /** undefined: still loading. */
  rows: readonly T[] | undefined
  rowKey(row: T): string
  /** In the place of rows if there are none. */
  empty?: ReactNode | undefined
  /** Rows of the skeleton. */
  expected?: number | undefined
  /** Opens details. The first cell becomes a button for the keyboard. */
  onOpen?: ((row: T) => void) | undefined
  isSelected?: ((row: T) => boolean) | undefined
  /** A box before each row, to choose several of them. */
  choice?: Choice<T> | undefined
}

export function Table<T>(props: TableProps<T>) {
  const {
    label,
    broad = false,
    slim = false,
    columns: all,
    columnsKept,
    rows,
    rowKey,
    empty,
    expected = 5,
    onOpen,
    isSelected,
    choice,
  } = props
  const { common } = useTexts()
  const isCard = useContext(CardTitle) === label
  const room = useRef<HTMLElement>(null)
  const { columns, items } = useShownColumns(all, columnsKept, room, rows?.length === 0)
  if (rows?.length === 0 && empty) return empty
  const hasLines = columns.some(({ line }) => line !== undefined)
  const row = hasLines ? ROW_OF_LINES : ROW
  const decimals = new Map(columns.map((column) => [column.id, column.usd && decimalsOf(rows?.map(column.usd) ?? [])]))
  return (
    <section
      ref={room}
      className={classes(
        'scroll-mt-4 overflow-x-auto -outline-offset-2',
        broad ? '@container/broad' : slim ? '@container/slim' : '@container/narrow',
      )}
      aria-label={label}
      // Landmarks have different names.
      role={isCard ? 'group' : undefined}
      tabIndex={0}
    >
      {/* The roles are written out, because browsers drop those of a table that is shown as blocks. */}
      <table role="table" aria-busy={rows === undefined} className="w-full cards:block">
        <caption className="sr-only">{rows === undefined ? `${label}: ${common.loading}` : label}</caption>
        <thead className="cards:sr-only">
          <tr role="row">
            {columns.map((column, index) => (
              <th
                key={column.id}
                role="columnheader"
                scope="col"
                className={classes(
                  'border-b px-3 py-2 text-sm font-medium whitespace-nowrap text-muted first:pl-4 last:pr-4',
                  isRight(column) ? 'text-right' : 'text-left',
                )}
              >
                <span className="inline-flex items-center gap-2.5 align-middle">
                  {index === 0 && choice && rows && <ChoiceBox rows={rows} choice={choice} label={choice.labelOfAll} />}
                  <span className={classes(column.control && 'sr-only')}>
                    {column.label}
                    {column.usd && <span className="font-normal">, USD</span>}
                  </span>
                </span>
                {items && index === columns.length - 1 && <ColumnMenu items={items} />}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="cards:block">
          {rows === undefined
            ? Array.from({ length: expected }, (_, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: skeletons have no identity.
                <tr key={index} role="row" className={row}>
                  {columns.map((column, index) => (
                    <td key={column.id} role="cell" className={cellClass(column, index, hasLines)}>
                      {!hasLines && <CardLabel column={column} index={index} />}
                      <Skeleton size={classes('h-4', column.skeleton ?? 'w-20')} />
                    </td>
                  ))}
                </tr>
              ))
            : rows.map((each) => (
                <tr
                  key={rowKey(each)}
                  role="row"
                  aria-selected={isSelected?.(each) || undefined}
                  onClick={onOpen ? (event) => isPlainClick(event) && onOpen(each) : undefined}
                  className={classes(
                    row,
                    onOpen && 'cursor-pointer hover:bg-raised/60',
                    isSelected?.(each) && 'bg-raised',
                  )}
                >
                  {columns.map((column, index) => (
                    <Cell
                      key={column.id}
                      row={each}
                      column={column}
                      index={index}
                      hasLines={hasLines}
                      decimals={decimals.get(column.id)}
                      {...(onOpen ? { onOpen } : {})}
                      {...(choice ? { choice } : {})}
                    />
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
    </section>
  )
}

/** A click on a control within the row is meant for the control, and selecting text opens nothing. */
function isPlainClick(event: React.MouseEvent): boolean {
  // React reports clicks in a menu of the row here, too, though the menu is elsewhere in the document.
  if (event.target instanceof Node && !event.currentTarget.contains(event.target)) return false
  if (event.target instanceof Element && event.target.closest('a,button,input,select,label')) return false
  return (window.getSelection()?.toString() ?? '') === ''
}
