import { useCallback, useState } from 'react'
import { useLocation } from 'wouter'
import { useRead } from '../../api/queries.ts'
import type { KeyRow } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { Segments } from '../../ui/form/choices.tsx'
import { PageHeader, Section } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { List } from '../../ui/table/list.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { useNumber } from '../../ui/values.tsx'
import { type KeyAction, useKeyColumns } from './columns.tsx'
import { DeleteDialog, RotateDialog } from './key-dialogs.tsx'
import { KeyDrawer } from './key-form.tsx'
import { SecretDialog } from './secret.tsx'

const FILTERS = { state: 'active', name: '', before: '' }
const STATES = ['active', 'expired', 'deleted', 'all'] as const
type Open =
  | { what: 'create' }
  | { what: 'edit' | 'rotate' | 'delete'; key: KeyRow }
  | { what: 'secret'; name: string; secret: string }

export default function KeysPage() {
  const t = useTexts().keys
  const number = useNumber()
  const [, navigate] = useLocation()
  const [filters, setFilters] = useUrlState(FILTERS)
  const [open, setOpen] = useState<Open>()
  const state = STATES.find((each) => each === filters.state) ?? 'active'
  const query = useRead(
    'keys',
    { name: filters.name, before: filters.before, state: state === 'all' ? '' : state },
    { every: 'live', keepPrevious: true },
  )
  const onAction = (action: KeyAction, key: KeyRow) =>
    action === 'usage' || action === 'connect' ? navigate(`/${action}?key=${key.id}`) : setOpen({ what: action, key })
  const columns = useKeyColumns(onAction)
  const search = useCallback((name: string) => setFilters({ name, before: '' }), [setFilters])
  const close = () => setOpen(undefined)
  const create = (
    <Button variant="primary" icon="plus" onClick={() => setOpen({ what: 'create' })}>
      {t.create}
    </Button>
  )
  const isFiltered = filters.name !== '' || filters.before !== '' || state !== 'active'

  return (
    <>
      <PageHeader title={t.title} text={t.text} help="use/console#keys" actions={create} />
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <SearchField label={t.search} value={filters.name} onChange={search} />
        <Segments
          label={t.stateFilter}
          value={state}
          onChange={(next) => setFilters({ state: next, before: '' })}
          options={STATES.map((value) => ({ value, label: t.states[value] }))}
        />
      </div>
      <Section flush>
        <List
          broad
          label={t.list.label}
          columnsKept="own-keys"
          columns={columns}
          query={query}
          cursor="before"
          total={query.data && query.data.total > 0 ? t.total(query.data.total, number(query.data.total)) : undefined}
          onOpen={(key) => onAction(key.state === 'deleted' ? 'usage' : 'edit', key)}
          empty={
            isFiltered ? (
              <EmptyState
                title={t.empty.filtered}
                action={<Button onClick={() => setFilters(FILTERS)}>{t.empty.clear}</Button>}
              />
            ) : (
              <EmptyState title={t.empty.title} action={create}>
                {t.empty.text}
              </EmptyState>
            )
          }
        />
      </Section>
      {(open?.what === 'create' || open?.what === 'edit') && (
        <KeyDrawer
          subject={open.what === 'edit' ? open.key : undefined}
          onClose={close}
          onCreated={({ key, secret }) => setOpen({ what: 'secret', name: key.name, secret })}
        />
      )}
      {open?.what === 'rotate' && (
        <RotateDialog
          subject={open.key}
          onClose={close}
          onRotated={({ key, secret }) => setOpen({ what: 'secret', name: key.name, secret })}
        />
      )}
      {open?.what === 'delete' && <DeleteDialog subject={open.key} onClose={close} />}
      {open?.what === 'secret' && <SecretDialog name={open.name} secret={open.secret} onClose={close} />}
    </>
  )
}
