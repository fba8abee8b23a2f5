// One row: as a sentence in the table, and with everything that it keeps in a drawer.

import { Fragment } from 'react'
import { useLanguage } from '../../../i18n/language.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { DetailDrawer } from '../../../ui/loaded.tsx'
import { Facts, Part } from '../../../ui/page.tsx'
import { Time } from '../../../ui/values.tsx'
import { useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { Diff } from '../../ui/diff.tsx'
import { type AuditRow, sentenceOf, whoOf } from './sentence.ts'

/** In a list: with the reason below it. */
export function SentenceWithReason({ row }: { row: AuditRow }) {
  const t = useOperateTexts().auditLog
  return (
    <span className="flex flex-col font-normal">
      <SentenceOf row={row} />
      {row.reason !== '' && <span className="text-sm text-muted wrap-anywhere">{t.reason(row.reason)}</span>}
    </span>
  )
}

export function SentenceOf({ row }: { row: AuditRow }) {
  const t = useOperateTexts().auditLog
  const { language } = useLanguage()
  const { who, did, changes, more } = sentenceOf(row, t, language)
  return (
    <span className="wrap-anywhere">
      <span className="font-semibold">{who}</span> {did}
      {changes.map(({ path, from, to }, index) => (
        <Fragment key={path}>
          {index === 0 ? t.colon : t.listSeparator}
          <span className="text-muted">{path}</span> {from !== undefined && <del className="tabular-nums">{from}</del>}
          {from !== undefined && to !== undefined && <span aria-hidden="true"> → </span>}
          {to !== undefined && <ins className="tabular-nums no-underline">{to}</ins>}
        </Fragment>
      ))}
      {more > 0 && (
        <span className="text-muted">
          {t.listSeparator}
          {t.moreChanges(more)}
        </span>
      )}
    </span>
  )
}

type DrawerProps = {
  /** Empty: closed. */
  id: string
  onClose(): void
  /** Shows the rows with this filter. */
  onFilter(filter: { actor: string } | { object: string }): void
}

const isId = (id: string): boolean => /^\d{1,18}$/.test(id)

export function RowDrawer({ id, onClose, onFilter }: DrawerProps) {
  const t = useOperateTexts().auditLog
  // The list has the newest first, so that what comes after the next id begins with this row.
  const params = { after: isId(id) ? String(BigInt(id) + 1n) : '', limit: '1' }
  const query = useAdmin('audit-log', params, { enabled: isId(id), staleTime: 60_000 })
  const row = query.data?.data.find((each) => each.id === id) ?? null
  return (
    <DetailDrawer
      open={id !== ''}
      onClose={onClose}
      title={t.details.title}
      query={{ ...query, data: query.data || !isId(id) ? row : undefined }}
      none={{ title: t.details.missing }}
    >
      {(found) => <Details row={found} onFilter={onFilter} />}
    </DetailDrawer>
  )
}

const LINK = 'text-link hover:underline text-left'

function Details({ row, onFilter }: { row: AuditRow; onFilter: DrawerProps['onFilter'] }) {
  const texts = useOperateTexts().auditLog
  const t = texts.details
  const facts = [
    {
      label: t.who,
      value: (
        <>
          <div>{whoOf(row, texts)}</div>
          <button type="button" className={LINK} onClick={() => onFilter({ actor: row.actor })}>
            {t.allOfActor}
          </button>
        </>
      ),
    },
    { label: t.when, value: <Time at={row.at} style="exact" /> },
    ...(row.address ? [{ label: t.from, value: <span className="font-mono text-sm">{row.address}</span> }] : []),
    { label: t.action, value: <span className="font-mono text-sm">{row.action}</span> },
    {
      label: t.object,
      value: (
        <>
          <div className="font-mono text-sm wrap-anywhere">{row.target}</div>
          <button type="button" className={LINK} onClick={() => onFilter({ object: row.target })}>
            {t.allOfObject}
          </button>
        </>
      ),
    },
    ...(row.reason === '' ? [] : [{ label: t.reason, value: row.reason }]),
    ...(row.request_id === null
      ? []
      : [
          {
            label: t.request,
            value: (
              <span className="flex items-center gap-1 font-mono text-sm">
                <span className="wrap-anywhere">{row.request_id}</span>
                <CopyButton text={row.request_id} label={t.request} />
              </span>
            ),
          },
        ]),
  ]
  return (
    <>
      <p className="text-lg">
        <SentenceOf row={row} />
      </p>
      <Facts items={facts} />
      <Part title={t.changes}>
        {row.before || row.after ? (
          <Diff before={row.before} after={row.after} />
        ) : (
          <p className="text-muted">{t.nothing}</p>
        )}
      </Part>
    </>
  )
}
