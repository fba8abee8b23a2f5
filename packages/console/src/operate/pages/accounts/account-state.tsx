import { Badge } from '../../../ui/states.tsx'
import type { Output } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export type Account = Output<'GET', 'accounts/{account}'>
type Stated = Pick<Account, 'disabled' | 'deleted_at'>

const stateOf = ({ disabled, deleted_at }: Stated) =>
  deleted_at !== null ? 'deleted' : disabled ? 'disabled' : 'active'

const TONES = { active: 'good', disabled: 'warn', deleted: 'plain' } as const

export function AccountState({ account }: { account: Stated }) {
  const { states } = useOperateTexts().accounts
  const state = stateOf(account)
  return <Badge tone={TONES[state]}>{states[state]}</Badge>
}
