// The list in a drawer has pages of its own: the cursor in the URL is that of the list behind it.

import { type ReactNode, useState } from 'react'
import { useTexts } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { List } from '../../../ui/table/list.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useAdmin } from '../../api/queries.ts'
import type { Row } from '../../api/routes.ts'

type CodeListProps = { label: string; title: string; columns: readonly Column<Row<'codes'>>[]; empty: ReactNode }

export function CodeList({ label, title, columns, empty }: CodeListProps) {
  const { common } = useTexts()
  const [cursors, setCursors] = useState<readonly string[]>([])
  const after = cursors.at(-1) ?? ''
  const of = label === '' ? { unlabelled: 'true' } : { label }
  const query = useAdmin('codes', { ...of, after, limit: '50' }, { keepPrevious: true })
  const { data } = query
  return (
    <>
      <div className="rounded-md border">
        <List label={title} columns={columns} query={query} empty={empty} />
      </div>
      {(cursors.length > 0 || data?.has_more) && (
        <nav aria-label={common.pages} className="mt-2 flex justify-end gap-2">
          <Button small disabled={cursors.length === 0} onClick={() => setCursors(cursors.slice(0, -1))}>
            {common.previousPage}
          </Button>
          <Button
            small
            disabled={!data?.has_more}
            onClick={() => data?.last_id && setCursors([...cursors, data.last_id])}
          >
            {common.nextPage}
          </Button>
        </nav>
      )}
    </>
  )
}
