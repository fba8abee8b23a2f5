// The rules with their thresholds, which are settings, and their mutes.

import { useState } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import { Menu, type MenuItem } from '../../../ui/overlay.tsx'
import { Section } from '../../../ui/page.tsx'
import { Badge } from '../../../ui/states.tsx'
import { List } from '../../../ui/table/list.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useNumber } from '../../../ui/values.tsx'
import { LIVE, useAdmin } from '../../api/queries.ts'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useAct } from '../../ui/act.tsx'
import { useActItem } from '../../ui/act-button.tsx'
import { ActForm } from '../../ui/act-form.tsx'
import { MutedUntil } from './columns.tsx'
import { useMuteItems } from './mute.ts'

type Rule = Row<'alerts/rules'>

export function Rules() {
  const t = useOperateTexts().alerts
  const query = useAdmin('alerts/rules', {}, { every: LIVE })
  const [editing, setEditing] = useState<Rule>()
  const read = useThreshold()
  const itemsOf = useRuleItems(query.data?.data ?? [], setEditing)
  const titleOf = ({ id, title }: Rule) => t.rules[id]?.title ?? title
  const columns: readonly Column<Rule>[] = [
    { id: 'rule', label: t.columns.rule, cell: titleOf, skeleton: 'w-56' },
    {
      id: 'threshold',
      label: t.columns.threshold,
      cell: ({ id, threshold, default_threshold }) =>
        threshold === null ? null : (
          <>
            <span className="tabular-nums">{read(threshold)}</span>{' '}
            <span className="text-muted">
              {t.rules[id]?.threshold}
              {threshold !== default_threshold && ` (${t.ruleList.default(read(default_threshold ?? ''))})`}
            </span>
          </>
        ),
    },
    {
      id: 'state',
      label: t.columns.state,
      cell: ({ off, open, muted_until }) => (
        <span className="inline-flex flex-wrap justify-end gap-1 rows:justify-start">
          <Badge tone={off ? 'plain' : 'good'}>{off ? t.ruleList.off : t.ruleList.on}</Badge>
          {open > 0 && <Badge tone="bad">{t.ruleList.openCount(open)}</Badge>}
          {muted_until !== null && <MutedUntil at={muted_until} />}
        </span>
      ),
    },
    {
      id: 'actions',
      label: t.columns.actions,
      control: 'icon',
      cell: (rule) => (
        <Menu trigger={<IconButton icon="more" label={t.ruleList.manage(titleOf(rule))} />} items={itemsOf(rule)} />
      ),
    },
  ]
  return (
    <Section title={t.ruleList.title} text={t.ruleList.text} flush>
      <List label={t.ruleList.title} columns={columns} query={query} expected={Object.keys(t.rules).length} />
      {editing && <ThresholdDialog rule={editing} onClose={() => setEditing(undefined)} />}
    </Section>
  )
}

const UNITS: Readonly<Record<string, string>> = { s: 'second', m: 'minute', h: 'hour', d: 'day' }

/** `5m` as `5 minutes`; what is no time as it is. */
function useThreshold(): (threshold: string) => string {
  const number = useNumber()
  return (threshold) => {
    const [, count, letter = ''] = /^(\d+)([smhd])$/.exec(threshold) ?? []
    const unit = UNITS[letter]
    return unit === undefined ? threshold : number(Number(count), { style: 'unit', unit, unitDisplay: 'long' })
  }
}

/** What is done with the settings of a rule; each is a revision. */
function useRuleItems(rules: readonly Rule[], edit: (rule: Rule) => void): (rule: Rule) => MenuItem[] {
  const t = useOperateTexts().alerts
  const act = useAct()
  const item = useActItem()
  const muteItems = useMuteItems()
  const off = rules.filter((rule) => rule.off).map(({ id }) => id)
  return (rule) => {
    const { id, threshold, default_threshold } = rule
    const title = t.rules[id]?.title ?? rule.title
    const change = (settings: object, asked: { title: string; text?: string; done: string }) =>
      void act({ method: 'PATCH', path: 'settings', body: { alerts: settings }, action: t.threshold.action, ...asked })
    const reset = () => change({ [id]: null }, { title: t.threshold.act(title), done: t.threshold.resetDone })
    const toggle = () =>
      rule.off
        ? change(
            { off: off.length === 1 ? null : off.filter((each) => each !== id) },
            { title: t.threshold.on(title), done: t.threshold.onDone },
          )
        : change(
            { off: [...off, id] },
            { title: t.threshold.off(title), text: t.threshold.offText, done: t.threshold.offDone },
          )
    const hasThreshold = threshold !== null && default_threshold !== null
    return [
      ...(hasThreshold
        ? [item('configuration', { label: t.ruleList.change, icon: 'edit', onSelect: () => edit(rule) })]
        : []),
      ...(hasThreshold && threshold !== default_threshold
        ? [item('configuration', { label: t.ruleList.reset(default_threshold), onSelect: reset })]
        : []),
      item('configuration', { label: rule.off ? t.ruleList.turnOn : t.ruleList.turnOff, onSelect: toggle }),
      ...muteItems({ rule: id }, title, rule.muted_until !== null).map((each, index) => ({
        ...each,
        hasLine: index === 0,
      })),
    ]
  }
}

/** The value; what it changes is shown and confirmed in the next step. */
function ThresholdDialog({ rule, onClose }: { rule: Rule; onClose(): void }) {
  const texts = useOperateTexts().alerts
  const t = texts.threshold
  const title = texts.rules[rule.id]?.title ?? rule.title
  return (
    <ActForm
      method="PATCH"
      path="settings"
      of={{ alerts: { [rule.id]: rule.threshold } }}
      title={t.title(title)}
      action={t.next}
      fields={[
        { name: `alerts.${rule.id}`, label: t.label, hint: t.hint(rule.default_threshold ?? ''), missing: t.missing },
      ]}
      question={{ title: t.act(title), action: t.action, done: t.done }}
      onClose={onClose}
    />
  )
}
