import { useState } from 'react'
import { readOf } from '../../../../api/client.ts'
import { Button } from '../../../../ui/button.tsx'
import { TextField } from '../../../../ui/form/field.tsx'
import { Facts } from '../../../../ui/page.tsx'
import { Banner } from '../../../../ui/states.tsx'
import { Table } from '../../../../ui/table.tsx'
import { rehearse } from '../../../api/client.ts'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { useAct } from '../../../ui/act.tsx'
import { useOperateError } from '../../../ui/errors.ts'
import type { Draft, SetDraft } from './draft.ts'
import { chosenIn, entriesOf, type Proposal, priceOf, writtenIn } from './entries.ts'
import { useGroups } from './group-step.tsx'
import { ShortPrice } from './models-step.tsx'

type Props = { draft: Draft; set: SetDraft; proposals: readonly Proposal[]; onSaved(): void }

/** The whole change in words; it is written as one revision, after its effects have been shown. */
export function ReviewStep({ draft, set, proposals, onSaved }: Props) {
  const t = useOperateTexts().upstreams.wizard.review
  const messageOf = useOperateError()
  const act = useAct()
  const groups = useGroups().data?.data
  const [error, setError] = useState<{ id?: string; form?: string }>({})
  const [isBusy, setBusy] = useState(false)
  const chosen = proposals.filter(({ model }) => chosenIn(draft, proposals).includes(model))
  const save = async () => {
    setError({})
    if (!/^[\w.-]+$/.test(draft.id.trim())) return setError({ id: t.nameWrong })
    setBusy(true)
    const existing = new Map<string, Readonly<Record<string, unknown>>>()
    for (const { model } of chosen.filter(({ present }) => present === 'stored')) {
      const found = await readOf('admin', 'models/{model}', { model })
      if (found.ok) existing.set(model, writtenIn('model', found.value))
    }
    const upstream = await readOf('admin', 'upstreams/{upstream}', { upstream: draft.id.trim() })
    if (upstream.ok) {
      setBusy(false)
      return setError({ id: t.nameTaken })
    }
    const entries = entriesOf({ ...draft, id: draft.id.trim() }, proposals, groups ?? [], existing)
    const change = { method: 'POST', path: 'configuration/import', body: { entries } } as const
    const rehearsed = await rehearse(change)
    setBusy(false)
    if (!rehearsed.ok) return setError({ form: messageOf(rehearsed.error) })
    const saved = await act({
      ...change,
      rehearsed: rehearsed.value,
      hideChanges: true,
      title: t.title(draft.id, chosen.length),
      text: t.text,
      action: t.save,
      done: t.saved(draft.id),
    })
    if (saved) onSaved()
  }
  return (
    <div className="flex max-w-[720px] flex-col gap-4">
      <div className="max-w-[320px]">
        <TextField
          label={t.name}
          hint={t.nameHint}
          autoComplete="off"
          maxLength={100}
          value={draft.id}
          onChange={(id) => set({ id })}
          error={error.id}
        />
      </div>
      <div className="rounded-md border">
        <Table
          label={t.models}
          rows={chosen}
          rowKey={({ model }) => model}
          columns={[
            { id: 'model', label: t.model, cell: ({ model }) => <span className="font-mono text-sm">{model}</span> },
            { id: 'cost', label: t.cost, align: 'right', cell: ({ price }) => price && <ShortPrice price={price} /> },
            {
              id: 'price',
              label: t.price,
              align: 'right',
              cell: (each) => {
                const price = each.present === null ? priceOf(each, draft) : undefined
                return price ? <ShortPrice price={price} /> : t.unchanged
              },
            },
          ]}
        />
      </div>
      <Facts
        items={[
          {
            label: t.groups,
            value: [...draft.groups, draft.newGroup].filter((id) => id !== '').join(', ') || t.noGroups,
          },
        ]}
      />
      {error.form && <Banner tone="bad">{error.form}</Banner>}
      <div>
        <Button variant="primary" busy={isBusy} disabled={groups === undefined} onClick={save}>
          {t.submit}
        </Button>
      </div>
    </div>
  )
}
