// Redemption codes by the batches in which they were made.

import { useState } from 'react'
import { useLanguage } from '../../../i18n/language.tsx'
import { PageHeader, Section } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { Amount, Bar, formatUsd, Time, useNumber } from '../../../ui/values.tsx'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { ActButton } from '../../ui/act-button.tsx'
import { AdminList, CsvLink } from '../../ui/list.tsx'
import { useOpenByAddress } from '../../ui/open-by-address.ts'
import { BatchDrawer } from './batch.tsx'
import { CreateCodesDialog } from './create-dialog.tsx'
import { type NewCode, NewCodesDialog } from './new-codes.tsx'

export type Batch = Row<'codes/batches'>
type Made = { label: string; codes: readonly NewCode[] }

/** The batch that is open is in the URL; those without a label have a parameter of their own, since an empty one is absent. */
const OPEN = { label: '', unlabelled: '' }
const openingOf = (label: string) => ({ label, unlabelled: label === '' ? 'true' : '' })

export default function CodesPage() {
  const t = useOperateTexts().codes
  const words = useWords()
  const [isCreating, setCreating] = useOpenByAddress('create', 'money')
  const [made, setMade] = useState<Made>()
  const [open, setOpen] = useUrlState(OPEN)
  const isOpen = open.label !== '' || open.unlabelled !== ''
  const columns = useColumns()
  const create = (
    <ActButton permission="money" variant="primary" icon="plus" onClick={() => setCreating(true)}>
      {words('code create').action}
    </ActButton>
  )
  return (
    <>
      <PageHeader
        title={t.title}
        text={t.text}
        help="operate/browser#codes"
        actions={
          <>
            <CsvLink path="codes/batches" />
            {create}
          </>
        }
      />
      <Section flush>
        <AdminList
          path="codes/batches"
          label={t.batches}
          columns={columns}
          onOpen={({ label }) => setOpen(openingOf(label), { replace: false })}
          isSelected={({ label }) => isOpen && open.label === label}
          empty={
            <EmptyState title={t.empty} action={create}>
              {t.emptyText}
            </EmptyState>
          }
        />
      </Section>
      {isOpen && <BatchDrawer label={open.label} onClose={() => setOpen(OPEN)} />}
      {isCreating && (
        <CreateCodesDialog
          onClose={() => setCreating(false)}
          onCreated={(created) => {
            setCreating(false)
            setMade(created)
          }}
        />
      )}
      {made && <NewCodesDialog {...made} onClose={() => setMade(undefined)} />}
    </>
  )
}

function useColumns(): Column<Batch>[] {
  const t = useOperateTexts().codes
  const number = useNumber()
  const { locale } = useLanguage()
  return [
    {
      id: 'label',
      line: 1,
      label: t.label,
      shrinks: true,
      skeleton: 'w-28',
      cell: ({ label }) => (
        <span title={label} className={label === '' ? 'text-muted' : 'font-medium'}>
          {label || t.noLabel}
        </span>
      ),
    },
    {
      id: 'codes',
      label: t.codes,
      align: 'right',
      skeleton: 'w-10',
      cell: ({ codes }) => number(codes),
    },
    { id: 'amount', line: 1, label: t.worth, usd: ({ amount_usd }) => amount_usd },
    {
      id: 'redeemed',
      line: 2,
      label: t.redeemed,
      skeleton: 'w-36',
      cell: ({ codes, redeemed, redeemed_usd }) => (
        <span className="inline-flex min-w-36 flex-col gap-1">
          <span className="inline-flex flex-wrap gap-x-2 cards:justify-end">
            {t.of(number(redeemed), number(codes))} <Amount usd={redeemed_usd} />
          </span>
          <Bar
            tone="accent"
            share={redeemed / codes}
            label={`${t.of(number(redeemed), number(codes))}, ${formatUsd(redeemed_usd, locale)} USD`}
          />
        </span>
      ),
    },
    { id: 'open', label: t.open, usd: ({ open_usd }) => open_usd },
    {
      id: 'gone',
      drop: 900,
      label: t.gone,
      align: 'right',
      skeleton: 'w-10',
      cell: ({ revoked, expired }) => (revoked + expired === 0 ? null : number(revoked + expired)),
    },
    {
      id: 'expires',
      drop: 720,
      label: t.expires,
      cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} style="date" /> : t.never),
    },
    { id: 'created', drop: 820, label: t.created, cell: ({ created_at }) => <Time at={created_at} style="date" /> },
  ]
}
