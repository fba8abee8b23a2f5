// biome-ignore-all lint/a11y/noRedundantRoles: browsers drop the roles of a table that is shown as blocks.

// One cell of a table, in a row, in the two lines of a row on phones, or in a card.

import type { ReactNode } from 'react'
import { classes } from '../classes.ts'
import { Amount } from '../values.tsx'

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
  /** Left out of a table that is narrower than so many pixels, unless the person chose to see it. */
  drop?: number
  /** On phones, the line of the row in which it stands. If any column has one, those without are left out there. */
  line?: 1 | 2
  /** An amount: rounded for reading, aligned at the point, with the unit in the head. */
  usd?(row: T): string | null | undefined
  /** What is added has a plus sign. */
  isSigned?: boolean
  /** Null: there is nothing to say. A table shows a dash, and a card leaves the line out. `amount`: of a column of amounts. */
  cell?(row: T, amount: ReactNode): ReactNode
  /** The size of the skeleton, such as `w-24`. */
  skeleton?: string
}

export type Choice<T> = {
  isChosen(row: T): boolean
  choose(rows: readonly T[], isChosen: boolean): void
  /** What the box of a row is called, and the one of all rows. */
  label(row: T): string
  labelOfAll: string
}

const LEAST = { 18: 'rows:min-w-[18ch]', 20: 'rows:min-w-[20ch]' } as const

const CELL = 'rows:table-cell rows:px-3 rows:py-2 rows:first:pl-4 rows:last:pr-4 align-middle min-w-0'
const CARD = 'cards:flex cards:py-1'
const FIRST_CELL = 'cards:items-center cards:px-4 cards:font-medium'
/** Beside the first cell, in whatever order the columns are. */
const CONTROL_CELL = 'cards:col-start-2 cards:row-start-1 cards:items-center'
/** What is seen of an icon ends where the values end, though its button is larger. */
const CONTROL_ENDS = { icon: 'cards:pr-2.5 pointer-coarse:cards:pr-1', button: 'cards:pr-4' }
const VALUE_CELL = 'cards:col-span-2 cards:justify-between cards:gap-4 cards:px-4'
const LINE_CELLS = { 1: 'cards:order-1 cards:font-medium', 2: 'cards:order-3 cards:text-sm' }
/** Long texts share the first line, and are cut. */
const SHARES_LINE = 'cards:grow cards:basis-2/5'

type CellProps<T> = {
  row: T
  column: Column<T>
  index: number
  hasLines: boolean
  decimals: number | undefined
  onOpen?(row: T): void
  choice?: Choice<T>
}

export function ChoiceBox<T>({ rows, choice, label }: { rows: readonly T[]; choice: Choice<T>; label: string }) {
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

export function Cell<T>({ row, column, index, hasLines, decimals, onOpen, choice }: CellProps<T>) {
  const usd = column.usd?.(row) ?? null
  const amount = usd === null ? null : <Amount usd={usd} sign={column.isSigned ?? false} decimals={decimals} />
  const content = column.cell ? column.cell(row, amount) : amount
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
      <span className={classes('min-w-0', hasLines ? 'cards:truncate' : index > 0 && 'cards:text-right')}>
        {isEmpty && !column.control ? '\u2013' : content}
      </span>
    )
  return (
    <td role="cell" className={classes(cellClass(column, index, hasLines), isEmpty && 'cards:hidden')}>
      {!hasLines && <CardLabel column={column} index={index} />}
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

export const ROW = 'cards:grid cards:grid-cols-[minmax(0,1fr)_auto] cards:py-2 border-b last:border-b-0'

export const ROW_OF_LINES =
  'cards:flex cards:flex-wrap cards:items-baseline cards:gap-x-2 cards:px-4 cards:py-2 border-b last:border-b-0 cards:before:order-2 cards:before:w-full'

export const isRight = <T,>({ align, usd }: Column<T>): boolean => align === 'right' || usd !== undefined

export const cellClass = <T,>(column: Column<T>, index: number, hasLines: boolean): string => {
  const { control, shrinks, least } = column
  return classes(
    CELL,
    shrinks && classes('rows:max-w-0 rows:truncate', shrinks === 'fills' ? 'rows:w-full' : 'rows:w-1/4'),
    least && LEAST[least],
    // Whatever a font or a text does to the width of a table, its controls stay in sight.
    control && 'rows:last:sticky rows:right-0 rows:bg-surface',
    hasLines ? lineClass(column, index) : classes(CARD, cardClass(column, index)),
    isRight(column) && 'rows:text-right',
  )
}

const cardClass = <T,>({ control }: Column<T>, index: number): string =>
  index === 0 ? FIRST_CELL : control ? classes(CONTROL_CELL, CONTROL_ENDS[control]) : VALUE_CELL

function lineClass<T>({ line, control, shrinks }: Column<T>, index: number): string {
  if (control) return 'cards:order-1 cards:-my-1 cards:ml-auto'
  if (line === undefined) return 'cards:hidden'
  const isLong = line === 1 && (shrinks || index === 0)
  return classes('cards:flex cards:items-center', LINE_CELLS[line], isLong && SHARES_LINE)
}

/** Screen readers have the header of the column instead. */
export function CardLabel<T>({ column, index }: { column: Column<T>; index: number }) {
  if (index === 0 || column.control) return null
  return (
    <span aria-hidden="true" className="shrink-0 text-muted rows:hidden">
      {column.label}
    </span>
  )
}
