// A list of the admin API as a table: pages by cursors that are in the URL, what to do if there is nothing, and a download.

import type { ComponentProps } from 'react'
import { type UrlParams, urlOf } from '../../api/client.ts'
import { useTexts } from '../../i18n/language.tsx'
import { ButtonAnchor } from '../../ui/button.tsx'
import type { Query } from '../../ui/loaded.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { List } from '../../ui/table/list.tsx'
import { usePageCursor } from '../../ui/table/pagination.tsx'
import { type ReadArguments, useAdmin } from '../api/queries.ts'
import type { ListPath, Params, Row } from '../api/routes.ts'
import { useOperateTexts } from '../i18n/use-texts.tsx'

type AdminListProps<P extends ListPath> = Omit<ComponentProps<typeof List<Row<P>>>, 'query' | 'cursor' | 'broad'> & {
  path: P
  /** Filters and parameters of the path. A change of filters must reset the cursor: `after: ''`. */
  params?: Omit<Params<'GET', P>, 'after' | 'before'>
  /** Milliseconds: read again so often, while nothing but the first page is shown. */
  every?: number
  narrow?: boolean
  enabled?: boolean
}

export function AdminList<P extends ListPath>(props: AdminListProps<P>) {
  const { path, params, every, narrow = false, enabled = true, columnsKept, expected = 8, empty, ...table } = props
  const { shell } = useOperateTexts()
  const after = usePageCursor('after')
  const options = { keepPrevious: true, enabled, ...(every !== undefined && after === '' ? { every } : {}) }
  const query = useAdmin(path, ...([{ ...params, after }, options] as unknown as ReadArguments<P>))
  const list = query as Query<{ data: Row<P>[]; has_more: boolean; last_id: string | null }>
  return (
    <List<Row<P>>
      {...table}
      query={list}
      cursor="after"
      broad={!narrow}
      columnsKept={narrow ? undefined : (columnsKept ?? path.replaceAll(/\W+/g, '-'))}
      expected={expected}
      empty={list.data?.has_more ? <EmptyState title={shell.nothingSoFar} /> : empty}
    />
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
