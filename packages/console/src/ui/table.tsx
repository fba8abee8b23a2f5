// biome-ignore-all lint/a11y/noRedundantRoles: browsers drop the roles of a table that is shown as blocks.

// A table on wide screens; on small ones each row is a block of labelled values, so that nothing is hidden.

import type { ReactNode } from 'react'
import { useTexts } from '../i18n/language.tsx'
import { classes } from './classes.ts'
import { Skeleton } from './states.tsx'

export type Column<T> = {
  id: string
  label: string
  /** Its header is for screen readers only, and on small screens it has no label. */
  hideLabel?: boolean
  align?: 'right'
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
  'max-wide:flex max-wide:justify-between max-wide:gap-4 max-wide:px-4 max-wide:py-1 wide:table-cell wide:px-3 wide:py-2 wide:first:pl-4 wide:last:pr-4 align-middle min-w-0'

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
                <span className={classes(column.hideLabel && 'sr-only')}>{column.label}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-wide:block">
          {rows === undefined
            ? Array.from({ length: expected }, (_, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: skeletons have no identity.
                <tr key={index} role="row" className={ROW}>
                  {columns.map((column) => (
                    <td key={column.id} role="cell" className={cellClass(column)}>
                      <MobileLabel column={column} />
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
                    <td key={column.id} role="cell" className={cellClass(column)}>
                      <MobileLabel column={column} />
                      {index === 0 && onOpen ? (
                        <button
                          type="button"
                          onClick={() => onOpen(row)}
                          className="rounded-sm text-left hover:underline"
                        >
                          {column.cell(row)}
                        </button>
                      ) : (
                        <span className="min-w-0 max-wide:text-right">{column.cell(row)}</span>
                      )}
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
    </section>
  )
}

const ROW = 'max-wide:block max-wide:py-2 border-b last:border-b-0'

const cellClass = <T,>({ align }: Column<T>): string => classes(CELL, align === 'right' && 'wide:text-right')

function MobileLabel<T>({ column }: { column: Column<T> }) {
  return (
    <span aria-hidden="true" className="shrink-0 text-muted wide:hidden">
      {column.hideLabel ? '' : column.label}
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
