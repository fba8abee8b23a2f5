/** Where the pages of the gateway's operators are, below /console. */
export const OPERATE = '/operate'

export const isOperate = (path: string): boolean => path === OPERATE || path.startsWith(`${OPERATE}/`)
