// Keys of one account or of all, with the columns and the form of account holders, and acts on several at once.

import { type ReactNode, useState } from 'react'
import { Link, Redirect, useLocation } from 'wouter'
import { useTexts } from '../../../i18n/language.tsx'
import { type KeyAction, useKeyColumns } from '../../../pages/keys/columns.tsx'
import { SecretDialog } from '../../../pages/keys/secret.tsx'
import { Section } from '../../../ui/page.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { useAdmin } from '../../api/queries.ts'
import type { Params, Row, Schemas } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { pathOf } from '../../page-ids.ts'
import { useAct } from '../../ui/act.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { BulkFailures, ChosenBar, useChosen } from '../../ui/choose-rows.tsx'
import { AdminList } from '../../ui/list.tsx'
import { useMay } from '../../ui/permissions.ts'
import { AdminKeyDrawer, AdminRotateDialog, BulkKeysDialog } from './key-forms.tsx'

type KeyRow = Row<'keys'>
type Open =
  | { what: 'create' }
  | { what: 'edit' | 'rotate'; key: KeyRow }
  | { what: 'bulk' }
  | { what: 'secret'; name: string; secret: string }

const LINKED = { key: '' }

type KeyListProps = {
  params: Params<'GET', 'keys'>
  /** Keys of all accounts if absent. */
  account?: string
  empty: ReactNode
}

export function KeyList({ params, account, empty }: KeyListProps) {
  const t = useOperateTexts().keys
  const { keys: shared } = useTexts()
  const act = useAct()
  const words = useWords()
  const may = useMay()
  const [, navigate] = useLocation()
  const [asked, setOpen] = useState<Open>()
  // A link opens a key, whatever the list shows.
  const [linked, setLinked] = useUrlState(LINKED)
  const { data: found } = useAdmin('keys/{key}', linked, { enabled: linked.key !== '' })
  const isFound = found?.id === linked.key && found.state !== 'deleted'
  const open: Open | undefined = asked ?? (isFound ? { what: 'edit', key: found } : undefined)
  const [result, setResult] = useState<Schemas['BulkResult']>()
  const chosen = useChosen<KeyRow>()
  const close = () => {
    setOpen(undefined)
    if (linked.key !== '') setLinked(LINKED)
  }

  const remove = ({ id, name, last_four }: Pick<KeyRow, 'id' | 'name' | 'last_four'>) =>
    act({
      method: 'DELETE',
      path: 'keys/{key}',
      params: { key: id },
      title: shared.remove.title(name),
      text: shared.remove.text(last_four),
      action: shared.remove.submit,
      done: shared.remove.done(name),
      danger: true,
      hideChanges: true,
    })
  const onAction = (action: KeyAction, key: Pick<KeyRow, 'id' | 'name' | 'last_four'>) => {
    if (action === 'usage') return navigate(`${pathOf('requests')}?key=${key.id}`)
    if (action === 'delete') return void remove(key)
    setOpen({ what: action === 'rotate' ? 'rotate' : 'edit', key: key as KeyRow })
  }
  const actions: readonly KeyAction[] = may('keys') ? ['edit', 'rotate', 'usage', 'delete'] : ['usage']
  const columns = useKeyColumns(onAction, actions) as unknown as Column<KeyRow>[]
  const whose: Column<KeyRow> = {
    id: 'account',
    line: 2,
    label: t.account,
    shrinks: true,
    skeleton: 'w-32',
    cell: (row) => (
      <Link href={`${pathOf('accounts')}/${row.account_id}`} title={row.account} className="text-link hover:underline">
        {row.account}
      </Link>
    ),
  }
  const shown = account === undefined ? [...columns.slice(0, 1), whose, ...columns.slice(1)] : columns

  const removeAll = async () => {
    const done = await act({
      method: 'POST',
      path: 'keys/bulk',
      body: { keys: chosen.ids, act: 'delete' },
      title: t.bulk.deleteTitle(chosen.ids.length),
      action: t.bulk.delete,
      done: t.bulk.done,
      danger: true,
      hideChanges: true,
    })
    if (done) finish(done)
  }
  const finish = (done: Schemas['BulkResult']) => {
    chosen.clear()
    close()
    setResult(done)
  }

  return (
    <>
      <ChosenBar count={chosen.ids.length} onClear={chosen.clear}>
        <ActButton small permission="keys" onClick={() => setOpen({ what: 'bulk' })}>
          {t.bulk.edit}
        </ActButton>
        <ActButton small permission="keys" variant="danger" onClick={removeAll}>
          {t.bulk.delete}
        </ActButton>
      </ChosenBar>
      <Section
        flush
        {...(account === undefined
          ? {}
          : {
              title: t.title,
              actions: (
                <ActButton permission="keys" icon="plus" onClick={() => setOpen({ what: 'create' })}>
                  {words('key create').action}
                </ActButton>
              ),
            })}
      >
        <AdminList
          path="keys"
          params={params}
          label={t.title}
          columns={shown}
          empty={empty}
          choice={chosen.choice}
          onOpen={(key) => onAction(key.state === 'deleted' || !may('keys') ? 'usage' : 'edit', key)}
        />
      </Section>
      {(open?.what === 'create' || open?.what === 'edit') && (
        <AdminKeyDrawer
          account={account ?? ''}
          subject={open.what === 'edit' ? open.key : undefined}
          onClose={close}
          onCreated={({ key, secret }) => setOpen({ what: 'secret', name: key.name, secret })}
        />
      )}
      {open?.what === 'rotate' && (
        <AdminRotateDialog
          subject={open.key}
          onClose={close}
          onCreated={({ key, secret }) => setOpen({ what: 'secret', name: key.name, secret })}
        />
      )}
      {linked.key !== '' && !may('keys') && <Redirect to={`${pathOf('requests')}?key=${linked.key}`} />}
      {open?.what === 'bulk' && <BulkKeysDialog ids={chosen.ids} onClose={close} onDone={finish} />}
      {open?.what === 'secret' && <SecretDialog name={open.name} secret={open.secret} onClose={close} />}
      {result && <BulkFailures result={result} onClose={() => setResult(undefined)} />}
    </>
  )
}
