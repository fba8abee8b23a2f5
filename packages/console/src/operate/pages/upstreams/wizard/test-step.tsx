import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../../../../api/client.ts'
import { Button } from '../../../../ui/button.tsx'
import { SelectField, TextField } from '../../../../ui/form/field.tsx'
import { Facts } from '../../../../ui/page.tsx'
import { Banner, Skeleton } from '../../../../ui/states.tsx'
import { Amount, Duration } from '../../../../ui/values.tsx'
import { callAdmin } from '../../../api/client.ts'
import type { Output } from '../../../api/routes.ts'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { useOperateError } from '../../../ui/errors.ts'
import { type Draft, type SetDraft, upstreamOf } from './draft.ts'
import type { Proposal } from './entries.ts'

type Tested = Output<'POST', 'upstream-drafts/test'>
type Props = { draft: Draft; set: SetDraft; proposals: readonly Proposal[] | undefined }

/** What it costs is said before, and its real answer is shown. */
export function TestStep({ draft, set, proposals }: Props) {
  const t = useOperateTexts().upstreams.wizard.test
  const messageOf = useOperateError()
  const [named, setNamed] = useState('')
  const [tested, setTested] = useState<Tested>()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  // Videos take too long for a test; images cost more than a text.
  const texts = (proposals ?? []).filter(({ type }) => type === null || type === 'text')
  const others = (proposals ?? []).filter(({ type }) => type !== 'image' && type !== 'video')
  const known = texts.length > 0 ? texts : others
  const models = [...known.filter(({ price }) => price), ...known.filter(({ price }) => !price)]
  const model = named || (cheapestOf(models) ?? '')
  const estimate = useQuery<Tested, ApiError>({
    queryKey: [
      'admin',
      'draft-estimate',
      draft.kind,
      draft.dialect,
      draft.baseUrl,
      draft.region,
      draft.place,
      draft.auth.type,
      model,
    ],
    enabled: model !== '',
    queryFn: () => testOf(draft, model, true),
  })
  const run = async () => {
    setBusy(true)
    setError(undefined)
    setTested(undefined)
    try {
      setTested(await testOf(draft, model, false))
    } catch (failed) {
      setError(messageOf(failed as ApiError))
    }
    setBusy(false)
  }
  const most = estimate.data?.cost_at_most_usd
  return (
    <div className="flex max-w-[640px] flex-col gap-4">
      <p className="text-muted">
        {draft.found.length === 0 ? t.textWithoutList : draft.auth.type === 'key' ? t.text : t.textOfCloud}
      </p>
      <div className="max-w-[400px]">
        {draft.found.length > 0 ? (
          <SelectField
            label={t.model}
            value={model}
            onChange={setNamed}
            options={models.map(({ model: value }) => ({ value, label: value }))}
          />
        ) : (
          <TextField label={t.model} hint={t.modelHint} autoComplete="off" value={named} onChange={setNamed} />
        )}
      </div>
      <p className="min-h-5">
        {model === '' ? null : estimate.isPending ? (
          <Skeleton size="h-4 w-64" />
        ) : most == null ? (
          t.costUnknown
        ) : (
          <>
            {t.costAtMost(estimate.data?.calls ?? 0)} <Amount usd={most} />
          </>
        )}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          variant={tested?.ok ? 'secondary' : 'primary'}
          icon="playground"
          busy={isBusy}
          disabled={model === ''}
          onClick={run}
        >
          {tested ? t.again : t.submit}
        </Button>
        <Button
          variant={tested?.ok ? 'primary' : 'quiet'}
          onClick={() => set({ step: 'models', tested: tested?.ok ? model : '' })}
        >
          {tested?.ok ? t.next : t.skip}
        </Button>
      </div>
      {error && <Banner tone="bad">{error}</Banner>}
      <div aria-live="polite" className="flex flex-col gap-3">
        {tested && <Result tested={tested} />}
      </div>
    </div>
  )
}

/** Also for upstreams that are stored. */
export function Result({ tested }: { tested: Tested }) {
  const t = useOperateTexts().upstreams.wizard.test
  const answered = tested.checks.find(({ ok, answer }) => ok && answer)
  const failed = tested.checks.filter(({ ok }) => !ok)
  return (
    <>
      {tested.ok && <Banner tone="good">{t.ok(tested.checks.length)}</Banner>}
      {failed.map(({ dialect, mode, key, problem }) => (
        <Banner key={`${dialect} ${mode} ${key}`} tone="bad">
          {dialect}, {t.modes[mode]}: {problem}
        </Banner>
      ))}
      {answered && (
        <Facts
          items={[
            { label: t.answer, value: <q>{answered.answer}</q> },
            { label: t.latency, value: <Duration ms={answered.latency_ms} /> },
            { label: t.cost, value: tested.cost_usd === null ? t.unknown : <Amount usd={tested.cost_usd} /> },
          ]}
        />
      )}
    </>
  )
}

async function testOf(draft: Draft, model: string, estimate: boolean): Promise<Tested> {
  const base = draft.baseModels.find((each) => each.model === model)?.base_model
  const body = {
    ...upstreamOf(draft),
    model,
    ...(base === undefined ? {} : { base_model: base }),
    ...(estimate ? { estimate } : {}),
  }
  const result = await callAdmin({ method: 'POST', path: 'upstream-drafts/test', body })
  if (!result.ok) throw result.error
  return result.value
}

/** By what an answer costs. */
function cheapestOf(models: readonly Proposal[]): string | undefined {
  const costOf = ({ price }: Proposal) => Number(price?.output ?? Number.POSITIVE_INFINITY)
  return models.toSorted((one, other) => costOf(one) - costOf(other))[0]?.model
}
