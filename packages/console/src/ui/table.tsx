// biome-ignore-all lint/a11y/noRedundantRoles: browsers drop the roles of a table that is shown as blocks.

// A table where there is room for its columns; elsewhere each row is a card, so that nothing is hidden: its first line is the first
// cell with the controls beside it, and labelled values follow.

import type { ReactNode } from 'react'
import { useTexts } from '../i18n/language.tsx'
import { classes } from './classes.ts'
import { Skeleton } from './states.tsx'

export type Column<T> = {
  id: string
  label: string
  /** A small control: an icon, or a button with an edge. The header is for screen readers only. One column at most. */
  control?: 'icon' | 'button'
  align?: 'right'
  /** Long texts: the column gets what the others leave, and cuts its text. Cards show all of it. */
  shrinks?: boolean | 'fills'
  /** In rows, of one that shrinks: so much of its text is always seen. */
  least?: keyof typeof LEAST
  /** Null: there is nothing to say. A table shows a dash, and a card leaves the line out. */
  cell(row: T): ReactNode
  /** The size of the skeleton, such as `w-24`. */
  skeleton?: string
}

type TableProps<T> = {
  label: string
  /** Has many columns: it needs more room to be shown as rows. */
  broad?: boolean
  /** Has a name and a few figures: it is shown as rows everywhere. */
  slim?: boolean
  columns: readonly Column<T>[]
  /** undefined: still loading. */
  rows: readonly T[] | undefined
  rowKey(row: T): string
  /** In the place of rows if there are none. */
  empty?: ReactNode
  /** Rows of the skeleton. */
  expected?: number
  /** Opens details. The first cell becomes a button for the keyboard. */
  onOpen?(row: T): void
  isSelected?(row: T): boolean
  /** A box before each row, to choose several of them. */
  choice?: Choice<T>
}

const LEAST = { 18: 'rows:min-w-[18ch]', 20: 'rows:min-w-[20ch]' } as const

export type Choice<T> = {
  isChosen(row: T): boolean
  choose(rows: readonly T[], isChosen: boolean): void
  /** What the box of a row is called, and the one of all rows. */
  label(row: T): string
  labelOfAll: string
}

const CELL =
  'rows:table-cell rows:px-3 rows:py-2 rows:first:pl-4 rows:last:pr-4 align-middle min-w-0 cards:flex cards:py-1'
const FIRST_CELL = 'cards:items-center cards:px-4 cards:font-medium'
/** Beside the first cell, in whatever order the columns are. */
const CONTROL_CELL = 'cards:col-start-2 cards:row-start-1 cards:items-center'
/** What is seen of an icon ends where the values end, though its button is larger. */
const CONTROL_ENDS = { icon: 'cards:pr-2.5 pointer-coarse:cards:pr-1', button: 'cards:pr-4' }
const VALUE_CELL = 'cards:col-span-2 cards:justify-between cards:gap-4 cards:px-4'

export function Table<T>(props: TableProps<T>) {
  const {
    label,
    broad = false,
    slim = false,
    columns,
    rows,
    rowKey,
    empty,
    expected = 5,
    onOpen,
    isSelected,
    choice,
  } = props
  const { common } = useTexts()
  if (rows?.length === 0 && empty) return empty
  return (
    <section
      className={classes(
        'scroll-mt-4 overflow-x-auto',
        broad ? '@container/broad' : slim ? '@container/slim' : '@container/narrow',
      )}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
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
                  column.align === 'right' ? 'text-right' : 'text-left',
                )}
              >
                <span className="inline-flex items-center gap-2.5 align-middle">
                  {index === 0 && choice && rows && <ChoiceBox rows={rows} choice={choice} label={choice.labelOfAll} />}
                  <span className={classes(column.control && 'sr-only')}>{column.label}</span>
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="cards:block">
          {rows === undefined
            ? Array.from({ length: expected }, (_, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: skeletons have no identity.
                <tr key={index} role="row" className={ROW}>
                  {columns.map((column, index) => (
                    <td key={column.id} role="cell" className={cellClass(column, index)}>
                      <CardLabel column={column} index={index} />
                      <Skeleton size={classes('h-4', column.skeleton ?? 'w-20')} />
                    </td>
                  ))}
                </tr>
              ))
            : rows.map((row) => (
                <tr
                  key={rowKey(row)}
                  role="row"
                  aria-selected={isSelected?.(row) || undefined}
                  onClick={onOpen ? (event) => isPlainClick(event) && onOpen(row) : undefined}
                  className={classes(
                    ROW,
                    onOpen && 'cursor-pointer hover:bg-raised/60',
                    isSelected?.(row) && 'bg-raised',
                  )}
                >
                  {columns.map((column, index) => (
                    <Cell
                      key={column.id}
                      row={row}
                      column={column}
                      index={index}
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

type CellProps<T> = { row: T; column: Column<T>; index: number; onOpen?(row: T): void; choice?: Choice<T> }

function ChoiceBox<T>({ rows, choice, label }: { rows: readonly T[]; choice: Choice<T>; label: string }) {
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={rows.length > 0 && rows.every(choice.isChosen)}
      onChange={(event) => choice.choose(rows, event.target.checked)}
      className="size-4 shrink-0 accent-accent pointer-coarse:size-5"
    />
  )
}

function Cell<T>({ row, column, index, onOpen, choice }: CellProps<T>) {
  const content = column.cell(row)
  const isEmpty = content === null
  const shown =
    index === 0 && onOpen ? (
      <button
        type="button"
        onClick={() => onOpen(row)}
        className="max-w-full min-w-0 rounded-sm text-left hover:underline"
      >
        {content}
      </button>
    ) : (
      <span className={classes('min-w-0', index > 0 && 'cards:text-right')}>
        {isEmpty && !column.control ? '\u2013' : content}
      </span>
    )
  return (
    <td role="cell" className={classes(cellClass(column, index), isEmpty && 'cards:hidden')}>
      <CardLabel column={column} index={index} />
      {index === 0 && choice ? (
        <span className="flex min-w-0 items-center gap-2.5">
          <ChoiceBox rows={[row]} choice={choice} label={choice.label(row)} />
          {shown}
        </span>
      ) : (
        shown
      )}
    </td>
  )
}

const ROW = 'cards:grid cards:grid-cols-[minmax(0,1fr)_auto] cards:py-2 border-b last:border-b-0'

const cellClass = <T,>({ align, control, shrinks, least }: Column<T>, index: number): string =>
  classes(
    CELL,
    shrinks && classes('rows:max-w-0 rows:truncate', shrinks === 'fills' ? 'rows:w-full' : 'rows:w-1/4'),
    least && LEAST[least],
    // Whatever a font or a text does to the width of a table, its controls stay in sight.
    control && 'rows:last:sticky rows:right-0 rows:bg-surface',
    index === 0 ? FIRST_CELL : control ? classes(CONTROL_CELL, CONTROL_ENDS[control]) : VALUE_CELL,
    align === 'right' && 'rows:text-right',
  )

/** Screen readers have the header of the column instead. */
function CardLabel<T>({ column, index }: { column: Column<T>; index: number }) {
  if (index === 0 || column.control) return null
  return (
    <span aria-hidden="true" className="shrink-0 text-muted rows:hidden">
      {column.label}
    </span>
  )
}

/** A click on a control within the row is meant for the control, and selecting text opens nothing. */
function isPlainClick(event: React.MouseEvent): boolean {
  // React reports clicks in a menu of the row here, too, though the menu is elsewhere in the document.
  if (event.target instanceof Node && !event.currentTarget.contains(event.target)) return false
  if (event.target instanceof Element && event.target.closest('a,button,input,select,label')) return false
  return (window.getSelection()?.toString() ?? '') === ''
}
