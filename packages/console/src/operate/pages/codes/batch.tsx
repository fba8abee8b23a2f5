// The codes of one batch: what became of each, and who redeemed it. The codes themselves are not kept.

import { Link } from 'wouter'
import { useTexts } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { Drawer } from '../../../ui/dialog.tsx'
import { Badge, EmptyState, type Tone } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { pathOf } from '../../page-ids.ts'
import { useAct } from '../../ui/act.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { CodeList } from './code-list.tsx'

type Code = Row<'codes'>

const TONES: Readonly<Record<Code['state'], Tone>> = {
  open: 'accent',
  redeemed: 'good',
  expired: 'plain',
  revoked: 'warn',
}

export function BatchDrawer({ label, onClose }: { label: string; onClose(): void }) {
  const { common } = useTexts()
  const t = useOperateTexts().codes
  const act = useAct()
  const words = useWords()
  const revoke = () =>
    act({
      method: 'POST',
      path: 'codes/revoke',
      body: { label },
      ...words('code revoke', label),
      danger: true,
      hideChanges: true,
    })
  const columns: Column<Code>[] = [
    { id: 'code', label: t.code, cell: ({ last_four }) => <code>…{last_four}</code> },
    { id: 'amount', label: t.amount, usd: ({ amount_usd }) => amount_usd },
    { id: 'state', label: t.state, cell: ({ state }) => <Badge tone={TONES[state]}>{t.states[state]}</Badge> },
    {
      id: 'by',
      label: t.by,
      shrinks: true,
      cell: ({ redeemed_by, redeemed_by_name, redeemed_at }) =>
        redeemed_by === null ? null : (
          <>
            <Link href={`${pathOf('accounts')}/${redeemed_by}`} className="text-link hover:underline">
              {redeemed_by_name || redeemed_by}
            </Link>{' '}
            {redeemed_at && <Time at={redeemed_at} style="date" />}
          </>
        ),
    },
  ]
  return (
    <Drawer
      open
      onClose={onClose}
      title={label || t.noLabel}
      footer={
        <>
          <Button onClick={onClose}>{common.close}</Button>
          {label !== '' && (
            <ActButton permission="money" variant="danger" onClick={revoke}>
              {words('code revoke').action}
            </ActButton>
          )}
        </>
      }
    >
      <CodeList label={label} title={t.codes} columns={columns} empty={<EmptyState title={t.empty} />} />
    </Drawer>
  )
}
