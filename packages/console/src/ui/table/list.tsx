// A list as it is read, as a table: an error in its place, pages by cursors that are in the URL, and what to do if there is nothing.

import type { Query } from '../loaded.tsx'
import { ErrorState } from '../states.tsx'
import { Table, type TableProps } from '../table.tsx'
import { type Cursor, Pagination } from './pagination.tsx'

/** As the APIs answer: all of it, or a page with the cursor of the next one. */
type Listed<T> =
  | readonly T[]
  | { items: readonly T[]; next: string | null }
  | { data: readonly T[]; has_more?: boolean; last_id?: string | null }

type ListProps<T> = Omit<TableProps<T>, 'rows' | 'rowKey'> & {
  query: Query<Listed<T>>
  /** By its id, if absent. */
  rowKey?: ((row: T) => string) | undefined
  /** The name of the cursor. Without it, there are no pages. */
  cursor?: Cursor
  total?: string | undefined
}

export function List<T>({ query, rowKey = idOf, cursor, total, ...table }: ListProps<T>) {
  const { data, error, refetch } = query
  if (error && !data) return <ErrorState error={error} retry={refetch} />
  return (
    <>
      <Table {...table} rows={data && rowsOf(data)} rowKey={rowKey} />
      {cursor && <Pagination cursor={cursor} next={data && nextOf(data)} {...(total ? { total } : {})} />}
    </>
  )
}

const idOf = (row: unknown): string => String(Reflect.get(Object(row), 'id'))

const rowsOf = <T,>(list: Listed<T>): readonly T[] => ('items' in list ? list.items : 'data' in list ? list.data : list)

export function nextOf(list: Listed<unknown>): string | null {
  if ('items' in list) return list.next
  return 'data' in list && list.has_more ? (list.last_id ?? null) : null
}
