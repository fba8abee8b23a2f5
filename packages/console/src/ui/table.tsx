// biome-ignore-all lint/a11y/noRedundantRoles: browsers drop the roles of a table that is shown as blocks.

// A table on wide screens; on small ones each row is a card, so that nothing is hidden: its first line is the first cell with
// the controls beside it, and labelled values follow.

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
  /** Null: there is nothing to say. A table shows a dash, and a card leaves the line out. */
  cell(row: T): ReactNode
  /** The size of the skeleton, such as `w-24`. */
  skeleton?: string
}

type TableProps<T> = {
  label: string
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
}

const CELL =
  'wide:table-cell wide:px-3 wide:py-2 wide:first:pl-4 wide:last:pr-4 align-middle min-w-0 max-wide:flex max-wide:py-1'
const FIRST_CELL = 'max-wide:items-center max-wide:px-4 max-wide:font-medium'
/** Beside the first cell, in whatever order the columns are. */
const CONTROL_CELL = 'max-wide:col-start-2 max-wide:row-start-1 max-wide:items-center'
/** What is seen of an icon ends where the values end, though its button is larger. */
const CONTROL_ENDS = { icon: 'max-wide:pr-2.5 pointer-coarse:max-wide:pr-1', button: 'max-wide:pr-4' }
const VALUE_CELL = 'max-wide:col-span-2 max-wide:justify-between max-wide:gap-4 max-wide:px-4'

export function Table<T>({ label, columns, rows, rowKey, empty, expected = 5, onOpen, isSelected }: TableProps<T>) {
  const { common } = useTexts()
  if (rows?.length === 0 && empty) return empty
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="wide:overflow-x-auto" aria-label={label} tabIndex={0}>
      {/* The roles are written out, because browsers drop those of a table that is shown as blocks. */}
      <table role="table" aria-busy={rows === undefined} className="w-full max-wide:block">
        <caption className="sr-only">{rows === undefined ? `${label}: ${common.loading}` : label}</caption>
        <thead className="max-wide:sr-only">
          <tr role="row">
            {columns.map((column) => (
              <th
                key={column.id}
                role="columnheader"
                scope="col"
                className={classes(
                  'border-b px-3 py-2 text-sm font-medium whitespace-nowrap text-muted first:pl-4 last:pr-4',
                  column.align === 'right' ? 'text-right' : 'text-left',
                )}
              >
                <span className={classes(column.control && 'sr-only')}>{column.label}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-wide:block">
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
                    <Cell key={column.id} row={row} column={column} index={index} {...(onOpen ? { onOpen } : {})} />
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
    </section>
  )
}

type CellProps<T> = { row: T; column: Column<T>; index: number; onOpen?(row: T): void }

function Cell<T>({ row, column, index, onOpen }: CellProps<T>) {
  const content = column.cell(row)
  const isEmpty = content === null
  return (
    <td role="cell" className={classes(cellClass(column, index), isEmpty && 'max-wide:hidden')}>
      <CardLabel column={column} index={index} />
      {index === 0 && onOpen ? (
        <button type="button" onClick={() => onOpen(row)} className="rounded-sm text-left hover:underline">
          {content}
        </button>
      ) : (
        <span className={classes('min-w-0', index > 0 && 'max-wide:text-right')}>
          {isEmpty && !column.control ? '\u2013' : content}
        </span>
      )}
    </td>
  )
}

const ROW = 'max-wide:grid max-wide:grid-cols-[minmax(0,1fr)_auto] max-wide:py-2 border-b last:border-b-0'

const cellClass = <T,>({ align, control }: Column<T>, index: number): string =>
  classes(
    CELL,
    index === 0 ? FIRST_CELL : control ? classes(CONTROL_CELL, CONTROL_ENDS[control]) : VALUE_CELL,
    align === 'right' && 'wide:text-right',
  )

/** Screen readers have the header of the column instead. */
function CardLabel<T>({ column, index }: { column: Column<T>; index: number }) {
  if (index === 0 || column.control) return null
  return (
    <span aria-hidden="true" className="shrink-0 text-muted wide:hidden">
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
