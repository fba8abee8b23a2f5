// A list of the admin API as a table: pages by cursors that are in the URL, what to do if there is nothing, and a download.

import type { ReactNode } from 'react'
import type { UrlParams } from '../../api/client.ts'
import { urlOf } from '../../api/client.ts'
import { useTexts } from '../../i18n/language.tsx'
import { ButtonAnchor } from '../../ui/button.tsx'
import { Pagination, usePageCursor } from '../../ui/pagination.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { type Choice, type Column, Table } from '../../ui/table.tsx'
import { type ReadArguments, useAdmin } from '../api/queries.ts'
import type { ListPath, Params, Row } from '../api/routes.ts'
import { useOperateTexts } from '../i18n/use-texts.tsx'

type AdminListProps<P extends ListPath> = {
  path: P
  /** Filters and parameters of the path. A change of filters must reset the cursor: `after: ''`. */
  params?: Omit<Params<'GET', P>, 'after' | 'before'>
  label: string
  columns: readonly Column<Row<P>>[]
  /** See `Table`. */
  columnsKept?: string
  rowKey?(row: Row<P>): string
  empty: ReactNode
  onOpen?(row: Row<P>): void
  isSelected?(row: Row<P>): boolean
  choice?: Choice<Row<P>>
  /** Milliseconds: read again so often, while nothing but the first page is shown. */
  every?: number
  expected?: number
  narrow?: boolean
  enabled?: boolean
}

const idOf = (row: unknown): string => String(Reflect.get(Object(row), 'id'))

export function AdminList<P extends ListPath>(props: AdminListProps<P>) {
  const {
    path,
    params,
    label,
    columns,
    columnsKept = path.replaceAll(/\W+/g, '-'),
    rowKey = idOf,
    empty,
    onOpen,
    isSelected,
    choice,
    every,
    narrow = false,
  } = props
  const { expected = 8, enabled = true } = props
  const { shell } = useOperateTexts()
  const after = usePageCursor('after')
  const options = { keepPrevious: true, enabled, ...(every !== undefined && after === '' ? { every } : {}) }
  const { data, error, refetch } = useAdmin(path, ...([{ ...params, after }, options] as unknown as ReadArguments<P>))
  if (error && !data) return <ErrorState error={error} retry={refetch} />
  const page = data as { data: Row<P>[]; has_more: boolean; last_id: string | null } | undefined
  return (
    <>
      <Table
        broad={!narrow}
        label={label}
        columns={columns}
        {...(narrow ? {} : { columnsKept })}
        rows={page?.data}
        rowKey={rowKey}
        expected={expected}
        empty={page?.has_more ? <EmptyState title={shell.nothingSoFar} /> : empty}
        {...(onOpen ? { onOpen } : {})}
        {...(isSelected ? { isSelected } : {})}
        {...(choice ? { choice } : {})}
      />
      <Pagination cursor="after" next={page?.has_more ? page.last_id : null} />
    </>
  )
}

/** All rows of a list with these filters as a file. */
export function CsvLink({ path, params = {} }: { path: ListPath; params?: UrlParams }) {
  const { common } = useTexts()
  return (
    <ButtonAnchor icon="download" href={urlOf('admin', path, { ...params, format: 'csv' })} download>
      {common.downloadCsv}
    </ButtonAnchor>
  )
}
