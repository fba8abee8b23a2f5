import { useUrlState } from '../../ui/url-state.ts'
import { type Permission, useMay } from './permissions.ts'

const CLOSED = { act: '' }

/** Whether a dialog of the page is open, which its address says, so that a link leads to it. Whoever may not do it does not see it. */
export function useOpenByAddress(name: string, permission: Permission): [boolean, (isOpen: boolean) => void] {
  const [{ act }, setUrl] = useUrlState(CLOSED)
  const may = useMay()
  return [act === name && may(permission), (isOpen) => setUrl({ act: isOpen ? name : '' })]
}
