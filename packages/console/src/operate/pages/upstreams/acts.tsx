// What an operator does with an upstream. What cuts requests off says how many, and which models lose their last route.
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Menu } from '../../../ui/overlay.tsx'
import { Banner, Skeleton } from '../../../ui/states.tsx'
import { Amount } from '../../../ui/values.tsx'
import { callAdmin } from '../../api/client.ts'
import { useVersion } from '../../api/queries.ts'
import type { Output, Schemas } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { pathOf } from '../../page-ids.ts'
import { useAct } from '../../ui/act.tsx'
import { ActButton, useActItem } from '../../ui/act-button.tsx'
import { useOperateError } from '../../ui/errors.ts'
import { EditUpstream } from './edit.tsx'
import type { Figures } from './health.tsx'
import { Result } from './wizard/test-step.tsx'

type Props = { upstream: Schemas['Upstream']; figures: Figures | undefined }

export function UpstreamActs({ upstream, figures }: Props) {
  const { id, read_only: isReadOnly } = upstream
  const t = useOperateTexts().upstreams.acts
  const act = useAct()
  const words = useWords()
  const item = useActItem()
  const [, navigate] = useLocation()
  const [open, setOpen] = useState<'test' | 'edit'>()
  const version = useVersion('upstreams/{upstream}', { upstream: id })
  const state = figures?.switch.state ?? 'enabled'
  const params = { upstream: id }
  const enable = {
    method: 'POST',
    path: 'upstreams/{upstream}/enable',
    params,
    ...words('upstream enable', id),
  } as const
  const drain = () =>
    act({
      method: 'POST',
      path: 'upstreams/{upstream}/drain',
      params,
      ...words('upstream drain', id),
      undo: enable,
    })
  const disable = () =>
    act({
      method: 'POST',
      path: 'upstreams/{upstream}/disable',
      params,
      ...words('upstream disable', id),
      danger: true,
      reason: 'required',
      undo: enable,
    })
  const reset = () =>
    act({
      method: 'POST',
      path: 'upstreams/{upstream}/reset',
      params,
      ...words('upstream reset', id),
      hideChanges: true,
    })
  const remove = async () => {
    const deleted = await act({
      method: 'DELETE',
      path: 'upstreams/{upstream}',
      params,
      version: await version(),
      ...words('upstream delete', id),
      danger: true,
    })
    if (deleted) navigate(pathOf('upstreams'))
  }
  return (
    <>
      <ActButton permission="configuration" icon="playground" onClick={() => setOpen('test')}>
        {t.test}
      </ActButton>
      {!isReadOnly && (
        <ActButton permission="configuration" icon="edit" onClick={() => setOpen('edit')}>
          {t.edit}
        </ActButton>
      )}
      {state === 'enabled' ? (
        <ActButton permission="configuration" onClick={drain}>
          {words('upstream drain').action}
        </ActButton>
      ) : (
        <ActButton permission="configuration" variant="primary" onClick={() => act(enable)}>
          {enable.action}
        </ActButton>
      )}
      <Menu
        trigger={<Button icon="down">{t.menu}</Button>}
        items={[
          ...(state === 'disabled'
            ? []
            : [item('configuration', { label: words('upstream disable').action, onSelect: () => void disable() })]),
          item('configuration', { label: words('upstream reset').action, onSelect: () => void reset() }),
          ...(isReadOnly
            ? []
            : [item('configuration', { label: words('upstream delete').action, onSelect: () => void remove() })]),
        ]}
      />
      {open === 'test' && <TestDialog id={id} onClose={() => setOpen(undefined)} />}
      {open === 'edit' && <EditUpstream upstream={upstream} onClose={() => setOpen(undefined)} />}
    </>
  )
}

type Tested = Output<'POST', 'upstreams/{upstream}/test'>

/** The price first, then the answer. */
function TestDialog({ id, onClose }: { id: string; onClose(): void }) {
  const { acts: t, wizard } = useOperateTexts().upstreams
  const messageOf = useOperateError()
  const [estimate, setEstimate] = useState<Tested>()
  const [tested, setTested] = useState<Tested>()
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const call = async (isEstimate: boolean) => {
    setBusy(!isEstimate)
    const body = isEstimate ? { estimate: true } : {}
    const result = await callAdmin({
      method: 'POST',
      path: 'upstreams/{upstream}/test',
      params: { upstream: id },
      body,
    })
    setBusy(false)
    if (!result.ok) setError(messageOf(result.error))
    else if (isEstimate) setEstimate(result.value)
    else setTested(result.value)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the price is asked for once, when the dialog opens.
  useEffect(() => {
    void call(true)
  }, [])
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.testTitle(id)}
      footer={
        <Button variant="primary" busy={isBusy} disabled={!estimate} onClick={() => call(false)}>
          {tested ? wizard.test.again : t.testSubmit}
        </Button>
      }
    >
      <div aria-live="polite" className="flex min-h-16 flex-col gap-3">
        {error && <Banner tone="bad">{error}</Banner>}
        {!estimate && !error && <Skeleton size="h-5 w-64" />}
        {estimate && !tested && (
          <p>
            {estimate.cost_at_most_usd === null ? (
              wizard.test.costUnknown
            ) : (
              <>
                {wizard.test.costAtMost(estimate.calls)} <Amount usd={estimate.cost_at_most_usd} />
              </>
            )}
          </p>
        )}
        {tested && <Result tested={tested} />}
      </div>
    </Dialog>
  )
}
