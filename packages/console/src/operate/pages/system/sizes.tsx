// What fills the database and the disks.

import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Facts, Section } from '../../../ui/page.tsx'
import { ErrorState, Skeleton } from '../../../ui/states.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Bar, Time, useNumber } from '../../../ui/values.tsx'
import { useAdmin } from '../../api/queries.ts'
import type { Output } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

type Found = Output<'GET', 'system/sizes'>
type TableSize = NonNullable<Found['tables']>[number]

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const
const FEW = 8

/** 33_554_432 -> `32 MiB`. */
export function useSize(): (bytes: number) => string {
  const number = useNumber()
  return (bytes) => {
    const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
    return `${number(bytes / 1024 ** power, { maximumFractionDigits: power === 0 ? 0 : 1 })}\u00a0${UNITS[power]}`
  }
}

export function Sizes() {
  const t = useOperateTexts().system.sizes
  const { data, error, refetch } = useAdmin('system/sizes')
  return (
    <Section title={t.title} text={t.text} flush>
      {error && !data && <ErrorState error={error} retry={refetch} />}
      <div className="border-b p-4">{data ? <Folders found={data} /> : <Skeleton size="h-40 w-full" />}</div>
      {data?.tables === null ? <p className="p-4 text-muted">{t.counting}</p> : <Tables tables={data?.tables} />}
    </Section>
  )
}

function Folders({ found: { disks, folders, contents, counted_at: countedAt } }: { found: Found }) {
  const t = useOperateTexts().system.sizes
  const size = useSize()
  return (
    <Facts
      items={[
        // The second one is that of stored media, where they have a folder of their own.
        ...disks.map(({ free, total }, index) => ({
          label: index === 0 ? t.disk : t.mediaDisk,
          value: <Filled share={(total - free) / total} text={t.free(size(free), size(total))} />,
        })),
        ...contents.map(({ name, bytes, limit }) => ({
          label: t.names[name] ?? name,
          value: <Filled share={bytes / limit} text={t.ofLimit(size(bytes), size(limit))} />,
        })),
        ...folders.map(({ name, bytes, complete }) => ({
          label: t.names[name] ?? name,
          value: complete ? size(bytes) : `${t.notAll} ${size(bytes)}`,
        })),
        ...(countedAt === null ? [] : [{ label: t.countedAt, value: <Time at={countedAt} /> }]),
      ]}
    />
  )
}

function Filled({ share, text }: { share: number; text: string }) {
  return (
    <span className="inline-flex w-full max-w-[420px] flex-wrap items-center gap-x-3">
      <span className="w-24">
        <Bar share={share} label={text} />
      </span>
      {text}
    </span>
  )
}

function Tables({ tables }: { tables: readonly TableSize[] | undefined }) {
  const t = useOperateTexts().system.sizes
  const size = useSize()
  const number = useNumber()
  const [hasAll, setAll] = useState(false)
  const total = (tables ?? []).reduce((sum, { bytes }) => sum + bytes, 0)
  const percent = (bytes: number) =>
    number(total === 0 ? 0 : bytes / total, { style: 'percent', maximumFractionDigits: 1 })
  const columns: Column<TableSize>[] = [
    { id: 'table', label: t.table, cell: ({ table }) => <code className="font-mono text-sm">{table}</code> },
    { id: 'size', label: t.size, align: 'right', cell: ({ bytes }) => size(bytes) },
    { id: 'share', label: t.share, align: 'right', cell: ({ bytes }) => percent(bytes) },
    { id: 'rows', label: t.rows, align: 'right', cell: ({ rows }) => (rows === null ? null : number(rows)) },
  ]
  return (
    <>
      <Table
        label={t.tables}
        columns={columns}
        rows={hasAll ? tables : tables?.slice(0, FEW)}
        rowKey={({ table }) => table}
        expected={FEW}
      />
      {tables && tables.length > FEW && !hasAll && (
        <div className="border-t p-2">
          <Button small variant="quiet" onClick={() => setAll(true)}>
            {t.all(tables.length)}
          </Button>
        </div>
      )}
    </>
  )
}
